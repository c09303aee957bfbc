package dev.quiver.bench.latency;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.TaskTimes;
import dev.quiver.bench.quiver.TimedHandler;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;

/** Quiver: chains that arrive one by one, each a tree of its own; their handlers note when each step began and ended. */
final class StepsServer implements Server {

    private static final String NAMESPACE = "steps";
    private static final List<String> FUNCTIONS = List.of("a", "b");
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int WARM_UPS_AT_ONCE = 20;

    /** The runner of the next step. */
    enum Next {
        /** The function of the step before. */
        SAME("same handler", 1, List.of(FUNCTIONS)),
        /** Another function of the same pod. */
        OTHER("another handler", 2, List.of(FUNCTIONS)),
        /** Another function, which another pod alone serves. */
        POD("another pod's handler", 2, List.of(List.of("a"), List.of("b")));

        private final String words;
        private final int functions;
        private final List<List<String>> pods;

        Next(String words, int functions, List<List<String>> pods) {
            this.words = words;
            this.functions = functions;
            this.pods = pods;
        }
    }

    private final Next next;
    private final Headquarters headquarters;
    private final TaskTimes times;
    private final List<Worker> workers = new ArrayList<>();
    private final RandomGenerator random = RandomGenerator.getDefault();

    private StepsServer(Next next, Headquarters headquarters, TaskTimes times) {
        this.next = next;
        this.headquarters = headquarters;
        this.times = times;
    }

    static StepsServer start(Lab lab, int redisPort, HalfLoad load, Next next) throws Exception {
        int steps = load.perSecond() * (int) load.time().toSeconds() * 2;
        StepsServer server =
                new StepsServer(next, new Headquarters(redisPort, NAMESPACE), TaskTimes.create(lab, steps));
        try {
            String uid = server.headquarters.announce(server.pool());
            for (List<String> functions : next.pods) {
                String pod = server.pool() + "-" + server.workers.size();
                Worker.Post post = new Worker.Post(
                        NAMESPACE, server.pool(), uid, pod, pod + "-uid", load.slots() / next.pods.size());
                server.workers.add(Worker.start(
                        lab,
                        Program.supervisor(lab),
                        post,
                        redisPort,
                        TimedHandler.serving(lab, Optional.of(server.times), load.work(), functions)));
            }
            return server;
        } catch (Exception failure) {
            server.close();
            throw failure;
        }
    }

    private String pool() {
        return next.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String name() {
        return "quiver, " + next.words;
    }

    @Override
    public void warmUp(HalfLoad load) throws Exception {
        long end = headquarters.leavesDone(pool());
        TreeNode beyond = chain(times.length());
        for (int done = 0; done < load.warmUps(); done += WARM_UPS_AT_ONCE * StepsBench.STEPS) {
            headquarters.plant(Collections.nCopies(WARM_UPS_AT_ONCE, beyond), Duration.ZERO);
            end += (long) WARM_UPS_AT_ONCE * StepsBench.STEPS;
            long all = end;
            Waiting.await("the end of warm-ups", PATIENCE, () -> headquarters.leavesDone(pool()) == all);
        }
    }

    private TreeNode chain(int first) {
        List<TreeNode> steps = IntStream.range(0, StepsBench.STEPS)
                .mapToObj(step -> TimedHandler.leaf(pool(), FUNCTIONS.get(step % next.functions), first + step, 1))
                .toList();
        return new TreeNode.Chain(steps, OnChildError.FAIL, Optional.empty(), TaskBody.named("chain"));
    }

    @Override
    public Waits turn(HalfLoad load) throws Exception {
        times.clear();
        long before = headquarters.leavesDone(pool());
        int steps = send(load);
        try {
            Waiting.await(
                    "the end of all chains",
                    Duration.ofSeconds(5),
                    () -> headquarters.leavesDone(pool()) == before + steps);
        } catch (TimeoutException some) {
            // Their steps count as lost.
        }
        List<Long> micros = IntStream.range(0, steps)
                .filter(step -> step % StepsBench.STEPS != 0 && times.start(step) != 0)
                .mapToObj(step -> (times.start(step) - times.end(step - 1)) / 1000)
                .toList();
        return Waits.of((long) steps * (StepsBench.STEPS - 1) / StepsBench.STEPS, micros);
    }

    /** Returns how many steps all chains have that were sent. */
    private int send(HalfLoad load) throws InterruptedException {
        double chainsPerSecond = (double) load.perSecond() / StepsBench.STEPS;
        int steps = 0;
        long due = System.nanoTime();
        long end = due + load.time().toNanos();
        while (due < end && steps + StepsBench.STEPS <= times.length()) {
            Waiting.until(due);
            headquarters.plant(List.of(chain(steps)), Duration.ZERO);
            steps += StepsBench.STEPS;
            due += (long) (random.nextExponential() / chainsPerSecond * 1e9);
        }
        return steps;
    }

    @Override
    public void close() throws IOException {
        for (Worker worker : workers) {
            worker.close();
        }
        headquarters.close();
    }
}
