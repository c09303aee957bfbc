package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest.Pace;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerSession;

/**
 * A set of uneven tasks that workers run in virtual time by real steps. One worker is slower than the others, from the
 * beginning or from half of the ideal time on. The same seed gives the same tasks.
 */
final class MakespanRun {

    private static final int WORKERS = 8;
    private static final int SLOTS = 2;
    private static final int LONG_ONE_IN = 100;
    private static final double POLL = 0.5;

    /** The means of a run against a slow worker. */
    record How(boolean ordered, boolean copies, boolean turnsSlow) {}

    /** An end of a task; without a claim the moment in which the worker turns slow, without a worker a poll of all. */
    private record Event(double at, long number, Worker worker, Claim claim, double ran) {}

    /** A pod as the run knows it. */
    private final class Worker {
        final WorkerSession session;
        final List<Settlement> ended = new ArrayList<>();
        final List<Double> ratios = new ArrayList<>();
        final Map<String, Event> running = new HashMap<>();
        double factor;
        int busy;

        Worker(int number) {
            session = world.session("w" + number);
            factor = number == 0 && !how.turnsSlow() ? slower : 1;
        }

        /** The median of its last five tasks. */
        Pace pace() {
            if (!how.ordered()) {
                return Pace.PLAIN;
            }
            double[] last = ratios.subList(Math.max(0, ratios.size() - 5), ratios.size()).stream()
                    .mapToDouble(Double::doubleValue)
                    .sorted()
                    .toArray();
            double median = last.length == 0 ? 0 : (last[(last.length - 1) / 2] + last[last.length / 2]) / 2;
            return new Pace((int) Math.min(Pace.MOST_SLOWNESS, Math.round(median * 1000)), SLOTS);
        }

        /** Whether it got something. */
        boolean step() {
            StepCall call = World.prepare(session, "u", List.copyOf(ended), World.places(SLOTS - busy), pace());
            StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
            ended.clear();
            over = done.status() != SourceStatus.RUNNING;
            for (Claim claim : done.claims()) {
                busy++;
                double ran = seconds[(int) World.id(claim)] * Math.exp(random.nextGaussian() * 0.1) * factor;
                Event end = new Event(now + ran, number++, this, claim, ran);
                running.put(claim.id(), end);
                events.add(end);
            }
            return !done.claims().isEmpty();
        }

        void ends(Event event) {
            busy--;
            running.remove(event.claim().id());
            int task = (int) World.id(event.claim());
            ratios.add(event.ran() * 1000 / millis.get(task));
            ended.add(new Settlement.Passed(event.claim(), Duration.ofMillis(Math.round(event.ran() * 1000))));
            step();
        }

        /** From now on it is slow, in what it runs, too. */
        void turnsSlow() {
            factor = slower;
            for (Event event : List.copyOf(running.values())) {
                double late = (event.at() - now) * (slower - 1);
                events.remove(event);
                Event end = new Event(event.at() + late, number++, this, event.claim(), event.ran() + late);
                running.put(event.claim().id(), end);
                events.add(end);
            }
        }

        /** Offers what takes long, and stops what another worker has finished. */
        void attend() {
            List<RunningTask> tasks = running.values().stream()
                    .map(event -> new RunningTask(
                            event.claim().id(), 0, 0, Math.round((now - event.at() + event.ran()) * 1000)))
                    .toList();
            if (tasks.isEmpty() || over) {
                return;
            }
            WorkSource source = World.enter(session, "u");
            for (String id : source.attend(tasks, pace().slowness())) {
                Event event = running.remove(id);
                events.remove(event);
                busy--;
                ended.add(new Settlement.Returned(event.claim()));
            }
            if (!ended.isEmpty()) {
                step();
            }
        }
    }

    private final World world;
    private final Random random;
    private final double slower;
    private final How how;
    private final double[] seconds;
    private final List<Integer> millis;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingDouble(Event::at).thenComparingLong(Event::number));
    private final List<Worker> workers = new ArrayList<>();
    private double now;
    private long number;
    private boolean over;

    /**
     * A run of so many tasks.
     *
     * @param slower how many times as long the first worker takes
     * @param how whether the set has an order, and the workers say how fast they are; whether idle workers run copies. Then
     * whether the first worker is slow from half of the ideal time on
     */
    MakespanRun(RedisStore store, World world, long seed, int tasks, double slower, How how) {
        this.world = world;
        this.slower = slower;
        this.how = how;
        this.random = new Random(seed);
        this.seconds = IntStream.range(0, tasks)
                .mapToDouble(task -> random.nextInt(LONG_ONE_IN) == 0
                        ? 40 + 80 * random.nextDouble()
                        : Math.exp(random.nextGaussian()))
                .toArray();
        this.millis = Arrays.stream(seconds)
                .mapToObj(usual -> Math.max(2, (int) (usual * Math.exp(random.nextGaussian() * 0.07) * 1000) & ~1))
                .toList();
        world.control.open(
                TaskSetOpening.of("u", "p", World.count(tasks).speculating(how.copies()), TaskSetLimits.DEFAULT));
        if (how.ordered()) {
            HandWrittenOrder.longestFirst(millis).write(store, world.keyspace, "u");
        }
        IntStream.range(0, WORKERS).forEach(worker -> workers.add(new Worker(worker)));
    }

    /** How long it takes, as a multiple of what it takes at best. */
    double ratio() {
        List<Worker> first = new ArrayList<>(workers);
        Collections.shuffle(first, random);
        first.forEach(Worker::step);
        events.add(new Event(POLL, number++, null, null, 0));
        if (how.turnsSlow()) {
            double half = Arrays.stream(seconds).sum() / (WORKERS * SLOTS) / 2;
            events.add(new Event(half, number++, workers.getFirst(), null, 0));
        }
        while (!over) {
            Event event = events.remove();
            now = event.at();
            if (event.worker() == null) {
                events.add(new Event(now + POLL, number++, null, null, 0));
                if (how.copies()) {
                    workers.forEach(Worker::attend);
                }
            } else if (event.claim() == null) {
                event.worker().turnsSlow();
            } else {
                event.worker().ends(event);
            }
            wake();
        }
        double slots = (WORKERS - 1 + (how.turnsSlow() ? (1 + 1 / slower) / 2 : 1 / slower)) * SLOTS;
        double best = Math.max(
                Arrays.stream(seconds).sum() / slots,
                Arrays.stream(seconds).max().orElseThrow());
        return now / best;
    }

    /** The token goes round until no worker with a free slot finds something. */
    private void wake() {
        boolean found = true;
        while (found && !over && (how.copies() || world.look("u").queued() > 0)) {
            found = false;
            for (Worker worker : workers) {
                found |= !over && worker.busy < SLOTS && worker.step();
            }
        }
    }
}
