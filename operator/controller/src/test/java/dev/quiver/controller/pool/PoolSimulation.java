package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.pool.scaling.Crew;
import dev.quiver.crds.v1alpha1.Rollout;
import dev.quiver.lifecycle.worker.SourceLoad;

/**
 * A pool and its work in steps of a quarter of a second, with the delays of the built system. Work and registry are read
 * each second. A busy worker has a heartbeat each second and an idle one each three. The planner is the real one.
 */
final class PoolSimulation {

    static final int SLOTS = 4;
    static final int MOST = 100;
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final double TICK = 0.25;
    private static final double DRAIN = 300;

    /** Decides how many pods there should be, once a second. */
    interface Scaler {
        /** The number. */
        int decide(double at, List<SourceLoad> loads, Crew crew);

        /** Whether only idle pods go. */
        default boolean waitsForIdle() {
            return false;
        }
    }

    /** Tasks of one source, each with the second at which it comes and its seconds. */
    record Load(List<double[]> tasks) {

        static Load atOnce(int tasks, double seconds) {
            return atOnce(
                    0.1, IntStream.range(0, tasks).mapToDouble(_ -> seconds).toArray());
        }

        static Load atOnce(double at, double... seconds) {
            List<double[]> all = new ArrayList<>();
            for (double each : seconds) {
                all.add(new double[] {at, each});
            }
            return new Load(all);
        }
    }

    /**
     * The outcome.
     *
     * @param needless pod-seconds beyond those of the tasks
     * @param end when the last task ended
     * @param first when the first task began
     * @param cutOff tasks that were ended with their pod
     * @param made pods
     * @param left pods that are there at the end of the simulation
     */
    record Result(double needless, double end, double first, int cutOff, int made, int left) {}

    private static final class Source {
        final List<double[]> queue = new ArrayList<>();
        int at;
        int running;
        double runSeconds;
        long trials;
        double first = -1;
        double progress = -1;

        int queued() {
            return queue.size() - at;
        }
    }

    private record Running(double ends, double seconds, double came, int source, int tasks) {}

    private static final class SimulatedPod {
        final String name;
        final double born;
        final double ready;
        final List<Running> busy = new ArrayList<>();
        double heartbeat;
        double heard = -1;
        int saidBusy;
        boolean saidDrain;
        boolean marked;
        boolean told;
        double deleted = -1;
        double gone = -1;

        SimulatedPod(String name, double born, double ready) {
            this.name = name;
            this.born = born;
            this.ready = ready;
        }
    }

    private final Scaler scaler;
    private final List<Source> sources;
    private final Queue<double[]> arrivals = new ArrayDeque<>();
    private final Random random = new Random(7);
    private final double[] start;
    private final List<SimulatedPod> pods = new ArrayList<>();
    /** The word that the registry had of each pod at the last look. */
    private final Map<String, WorkerPod> registry = new HashMap<>();

    private PoolMemory memory = PoolMemory.EMPTY;
    private double podSeconds;
    private double end;
    private double first = -1;
    private int cutOff;
    private int made;
    private int turn;

    private PoolSimulation(Scaler scaler, List<Load> loads, double[] start) {
        this.scaler = scaler;
        this.start = start;
        this.sources = loads.stream().map(_ -> new Source()).toList();
        List<double[]> all = new ArrayList<>();
        for (int k = 0; k < loads.size(); k++) {
            for (double[] task : loads.get(k).tasks()) {
                all.add(new double[] {task[0], task[1], k});
            }
        }
        all.sort(Comparator.comparingDouble(task -> task[0]));
        arrivals.addAll(all);
    }

    /**
     * Runs until all work is done and no pod is left, or until that second.
     *
     * @param start seconds that a pod takes to start, at least and at most
     */
    static Result run(Scaler scaler, List<Load> loads, double until, double... start) {
        PoolSimulation simulation = new PoolSimulation(scaler, loads, start);
        double needed = loads.stream()
                        .flatMap(load -> load.tasks().stream())
                        .mapToDouble(task -> task[1])
                        .sum()
                / SLOTS;
        double t = 0;
        while (t < until && !simulation.over()) {
            simulation.tick(t);
            t += TICK;
        }
        for (SimulatedPod pod : simulation.pods) {
            simulation.podSeconds += t - pod.born;
        }
        return new Result(
                simulation.podSeconds - needed,
                simulation.end,
                simulation.first,
                simulation.cutOff,
                simulation.made,
                simulation.pods.size());
    }

    private boolean over() {
        return arrivals.isEmpty() && pods.isEmpty() && sources.stream().allMatch(s -> s.queued() == 0);
    }

    private void tick(double t) {
        while (!arrivals.isEmpty() && arrivals.peek()[0] <= t) {
            double[] task = arrivals.poll();
            sources.get((int) task[2]).queue.add(new double[] {task[0], task[1]});
        }
        settle(t);
        pods.removeIf(pod -> {
            podSeconds += pod.gone >= 0 ? pod.gone - pod.born : 0;
            return pod.gone >= 0;
        });
        pods.stream().filter(pod -> pod.ready <= t).forEach(pod -> work(pod, t));
        if (Math.round(t / TICK) % 4 == 0) {
            registry.clear();
            pods.forEach(pod -> registry.put(pod.name, view(pod, t)));
            scale(t);
        }
    }

    private void settle(double t) {
        for (SimulatedPod pod : pods) {
            for (Running run : List.copyOf(pod.busy)) {
                if (run.ends() <= t) {
                    Source source = sources.get(run.source());
                    source.running -= run.tasks();
                    source.runSeconds += run.seconds() * run.tasks();
                    source.trials += run.tasks();
                    source.progress = t;
                    end = Math.max(end, run.ends());
                    pod.busy.remove(run);
                }
            }
            if (pod.deleted >= 0 && !pod.busy.isEmpty() && t - pod.deleted >= DRAIN) {
                for (Running run : pod.busy) {
                    Source source = sources.get(run.source());
                    source.running -= run.tasks();
                    cutOff += run.tasks();
                    for (int i = 0; i < run.tasks(); i++) {
                        source.queue.add(new double[] {run.came(), run.seconds()});
                    }
                }
                pod.busy.clear();
            }
            if (pod.deleted >= 0 && pod.busy.isEmpty()) {
                pod.gone = t;
            }
        }
    }

    private void work(SimulatedPod pod, double t) {
        if (t >= pod.heartbeat) {
            pod.saidBusy = pod.busy.size();
            pod.saidDrain = pod.told;
            pod.told = pod.marked || pod.deleted >= 0;
            pod.heard = t;
            pod.heartbeat = t + (pod.busy.isEmpty() ? 3 : 1);
        }
        while (pod.busy.size() < SLOTS && !pod.told && pod.deleted < 0) {
            List<Integer> ready = IntStream.range(0, sources.size())
                    .filter(k -> sources.get(k).queued() > 0)
                    .boxed()
                    .toList();
            if (ready.isEmpty()) {
                return;
            }
            int chosen = ready.get(turn++ % ready.size());
            pod.busy.add(claim(chosen, t));
        }
    }

    /** A claim of short tasks lasts a tick. */
    private Running claim(int chosen, double t) {
        Source source = sources.get(chosen);
        double[] task = source.queue.get(source.at++);
        double all = task[1];
        int tasks = 1;
        while (source.queued() > 0 && all + source.queue.get(source.at)[1] <= TICK) {
            all += source.queue.get(source.at++)[1];
            tasks++;
        }
        source.first = source.first < 0 ? t : source.first;
        first = first < 0 ? t : first;
        source.progress = t;
        source.running += tasks;
        return new Running(t + all, all / tasks, task[0], chosen, tasks);
    }

    private void scale(double t) {
        Instant now = at(t);
        List<WorkerPod> seen = pods.stream().map(pod -> registry.get(pod.name)).toList();
        int wanted = Math.min(MOST, scaler.decide(t, loads(t), crew(seen)));
        PoolFacts facts = PoolFactsBuilder.builder()
                .pool("p")
                .wanted(wanted)
                .hash("h")
                .bounds(RolloutBounds.of(Rollout.DEFAULT, wanted))
                .pods(seen)
                .replaceFrom(Instant.EPOCH)
                .most(scaler.waitsForIdle() ? OptionalInt.of(MOST) : OptionalInt.empty())
                .marks(memory.marks())
                .build();
        PoolPlan plan = PoolPlanner.plan(facts, now);
        memory = memory.keeping(seen);
        Map<String, SimulatedPod> byName =
                pods.stream().collect(Collectors.toMap(pod -> pod.name, pod -> pod, (a, _) -> a, TreeMap::new));
        plan.deletions().forEach(deletion -> byName.get(deletion.pod().name()).deleted = t);
        plan.drains().forEach(pod -> byName.get(pod.name()).marked = true);
        plan.resumes().forEach(pod -> byName.get(pod.name()).marked = false);
        for (WorkerPod pod : plan.drains()) {
            memory = memory.told(pod, true);
        }
        for (WorkerPod pod : plan.resumes()) {
            memory = memory.told(pod, false);
        }
        for (String ignored : plan.create()) {
            double ready = t + start[0] + random.nextDouble() * (start[1] - start[0]);
            pods.add(new SimulatedPod("p-" + made++, t, ready));
        }
    }

    private static Instant at(double t) {
        return BEGIN.plusMillis(Math.round(t * 1000));
    }

    private static WorkerPod view(SimulatedPod pod, double t) {
        boolean ready = pod.ready <= t;
        PodStage stage = pod.deleted >= 0 ? PodStage.TERMINATING : ready ? PodStage.READY : PodStage.STARTING;
        return new WorkerPod(
                pod.name,
                pod.name,
                "h",
                at(pod.born),
                stage,
                "",
                Optional.of(at(pod.ready)),
                pod.heard >= 0 ? OptionalInt.of(pod.saidBusy) : OptionalInt.empty(),
                pod.saidDrain,
                Optional.empty(),
                false,
                Optional.empty(),
                pod.heard >= 0 ? Optional.of(at(pod.heard)) : Optional.empty());
    }

    private List<SourceLoad> loads(double t) {
        return IntStream.range(0, sources.size())
                .mapToObj(k -> load("s" + k, sources.get(k), t))
                .filter(load -> load.claimable() > 0)
                .toList();
    }

    private static SourceLoad load(String name, Source source, double t) {
        return new SourceLoad(
                name,
                source.queued() + source.running,
                source.running,
                0,
                source.trials,
                Duration.ofMillis(Math.round(source.runSeconds * 1000)),
                since(source.first, t),
                since(source.progress, t),
                0,
                0,
                "");
    }

    private static Optional<Duration> since(double at, double t) {
        return at < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(Math.round((t - at) * 1000)));
    }

    private static Crew crew(List<WorkerPod> seen) {
        return PoolScaling.crew(seen, Set.of());
    }
}
