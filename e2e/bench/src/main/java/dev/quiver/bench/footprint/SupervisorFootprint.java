package dev.quiver.bench.footprint;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Pace;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.AotCache;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.NoopExecutor;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.DelayProxy;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;

/** One round: an idle worker of four slots, then one of 64 slots under full load. */
final class SupervisorFootprint {

    private static final String NAMESPACE = "footprint";
    private static final int IDLE_SLOTS = 4;
    private static final int LOADED_SLOTS = 64;
    /** Times the pace's settling: three minutes in a full run. */
    private static final int SETTLED = 22;

    private static final long TASKS = 1_000_000_000L;

    private final Lab lab;
    private final RedisServer redis;
    private final ExecutorProgram executor;
    private final Program program;

    SupervisorFootprint(Lab lab, RedisServer redis) throws Exception {
        this.lab = lab;
        this.redis = redis;
        this.executor = NoopExecutor.with(lab, Map.of());
        this.program = AotCache.trained(lab, Program.supervisor(lab), this::train);
    }

    private void train(Program recording) throws Exception {
        try (Headquarters headquarters = new Headquarters(redis.port(), NAMESPACE)) {
            Worker worker = start(headquarters, recording, redis.port(), IDLE_SLOTS);
            String uid = headquarters.open("workers", new ExecutionSpec.TaskSource.Count(1_000));
            Waiting.await(
                    "the training's tasks",
                    Duration.ofSeconds(30),
                    () -> headquarters.snapshot(uid).status().isFinal());
            headquarters.remove(uid);
            worker.close();
        }
    }

    void measure(FootprintBench.Sink sink) throws Exception {
        try (Headquarters headquarters = new Headquarters(redis.port(), NAMESPACE)) {
            idle(headquarters, sink);
            loaded(headquarters, sink);
        }
    }

    private void idle(Headquarters headquarters, FootprintBench.Sink sink) throws Exception {
        try (DelayProxy watched = DelayProxy.start(0, redis.port(), Duration.ZERO);
                Worker worker = start(headquarters, program, watched.port(), IDLE_SLOTS)) {
            long first = watched.firstAnswerNanos().orElseThrow();
            sink.add("supervisor first Redis answer", (first - worker.startedNanos()) / 1e9, "s");
            sink.add(
                    "supervisor processor time to ready",
                    ProcessMemory.cpuSeconds(worker.supervisor().pid()),
                    "s");
            sink.add("supervisor ready", worker.toReady().toMillis() / 1e3, "s");
            Waiting.letPass(lab.pace().settle());
            sink.add(FootprintBench.IDLE, cpuPercent(worker, lab.pace().settle()), "% of a core");
            sink.add(
                    "supervisor PSS idle",
                    ProcessMemory.pssMiB(worker.supervisor().pid()),
                    "MiB");
        }
    }

    /** The same worker after its calls of Redis have been compiled, which takes a few hundred of them. */
    void measureSettled(FootprintBench.Sink sink) throws Exception {
        try (Headquarters headquarters = new Headquarters(redis.port(), NAMESPACE);
                Worker worker = start(headquarters, program, redis.port(), IDLE_SLOTS)) {
            Waiting.letPass(lab.pace().settle().multipliedBy(SETTLED));
            sink.add(
                    FootprintBench.SETTLED,
                    cpuPercent(worker, lab.pace().settle().multipliedBy(4)),
                    "% of a core");
        }
    }

    private void loaded(Headquarters headquarters, FootprintBench.Sink sink) throws Exception {
        try (Worker worker = start(headquarters, program, redis.port(), LOADED_SLOTS)) {
            String uid = headquarters.open("workers", new ExecutionSpec.TaskSource.Count(TASKS));
            sink.add("supervisor PSS loaded", mostPss(worker.supervisor().pid(), lab.pace()), "MiB");
            headquarters.remove(uid);
        }
    }

    /** The greatest memory of a process within the time in which an idle one settles. */
    static double mostPss(long pid, Pace pace) throws Exception {
        AtomicReference<Double> most = new AtomicReference<>(0.0);
        long end = System.nanoTime() + pace.settle().toNanos();
        while (System.nanoTime() < end) {
            most.accumulateAndGet(ProcessMemory.pssMiB(pid), Math::max);
            Waiting.letPass(Duration.ofMillis(200));
        }
        return most.get();
    }

    private static double cpuPercent(Worker worker, Duration window) throws Exception {
        double cpu = cpuSeconds(worker);
        long from = System.nanoTime();
        Waiting.letPass(window);
        return 100 * (cpuSeconds(worker) - cpu) * 1e9 / (System.nanoTime() - from);
    }

    private static double cpuSeconds(Worker worker) throws IOException {
        return ProcessMemory.cpuSeconds(worker.supervisor().pid())
                + ProcessMemory.cpuSeconds(worker.executor().pid());
    }

    private Worker start(Headquarters headquarters, Program supervisor, int port, int slots) throws Exception {
        Worker.Post post = new Worker.Post(NAMESPACE, "workers", headquarters.announce("workers"), slots);
        return Worker.start(lab, supervisor, post, port, executor);
    }
}
