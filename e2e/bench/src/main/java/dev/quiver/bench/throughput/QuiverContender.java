package dev.quiver.bench.throughput;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Pace;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/**
 * Quiver: for each number of slots a worker of its own, idle between its turns. Tasks count when Redis has accounted
 * for them.
 */
public final class QuiverContender implements Contender {

    private static final String NAMESPACE = "throughput";
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Executors executors;
    private final long redisPid;
    private final Headquarters headquarters;
    private final Map<Integer, String> costs = new TreeMap<>();
    private final Map<Integer, Worker> workers = new HashMap<>();

    private QuiverContender(Executors executors, Headquarters headquarters, long redisPid) {
        this.redisPid = redisPid;
        this.executors = executors;
        this.headquarters = headquarters;
    }

    /** Starts a worker for each of these numbers of slots, and waits until they are ready. */
    public static QuiverContender start(
            Lab lab, Executors executors, List<Integer> sizes, RedisServer redis, int workPort) throws Exception {
        QuiverContender contender = new QuiverContender(executors, headquarters(executors, redis.port()), redis.pid());
        try {
            Program program = Program.supervisor(lab);
            for (int slots : sizes) {
                String uid = contender.headquarters.announce(contender.pool(slots));
                Worker.Post post = new Worker.Post(namespace(executors), contender.pool(slots), uid, slots);
                contender.workers.put(slots, Worker.start(lab, program, post, workPort, executors.program()));
            }
            contender.compile(lab.pace());
            return contender;
        } catch (Exception failure) {
            contender.close();
            throw failure;
        }
    }

    private static Headquarters headquarters(Executors executors, int port) {
        return executors.recorded() == Executors.Recorded.NOT
                ? new Headquarters(port, namespace(executors))
                : Headquarters.recording(port, namespace(executors), "");
    }

    /** The namespace of a contender: each has its own, so that no contender's records are in the stream of another. */
    public static String namespace(Executors executors) {
        return switch (executors.recorded()) {
            case NOT -> NAMESPACE;
            case UNREAD -> NAMESPACE + "-recorded";
            case READ -> NAMESPACE + "-read";
        };
    }

    /**
     * Warms up a JVM that has just started and is still compiling; a turn's own warm-up would be too short for that.
     */
    private void compile(Pace pace) throws Exception {
        for (int slots : workers.keySet()) {
            String uid = headquarters.open(pool(slots), executors.execution(), executors.batch(), executors.source());
            awaitMore(uid, 0);
            Waiting.letPass(pace.warmUp().multipliedBy(4));
            headquarters.remove(uid);
        }
        endRecord();
    }

    private String pool(int slots) {
        return executors.pool() + "-" + slots;
    }

    @Override
    public String name() {
        return executors.contender();
    }

    @Override
    public double turn(int concurrency, Pace pace) throws Exception {
        String uid = headquarters.open(pool(concurrency), executors.execution(), executors.batch(), executors.source());
        try {
            awaitMore(uid, 0);
            Waiting.letPass(pace.warmUp());
            long from = System.nanoTime();
            CpuCost cpu = CpuCost.of(workers.get(concurrency), redisPid);
            long before = headquarters.snapshot(uid).succeeded();
            Waiting.letPass(pace.window());
            long after = awaitMore(uid, before);
            long until = System.nanoTime();
            costs.put(
                    concurrency,
                    CpuCost.of(workers.get(concurrency), redisPid).since(cpu, Math.max(1, after - before)));
            return (after - before) * 1e9 / (until - from);
        } finally {
            headquarters.remove(uid);
            endRecord();
        }
    }

    /** Empties the stream, or waits until its reader has; a contender without a record has left nothing there. */
    private void endRecord() throws Exception {
        if (executors.recorded() == Executors.Recorded.READ) {
            Waiting.await("the end of the stream of " + name(), PATIENCE, () -> headquarters.recordedEntries() == 0);
        } else if (headquarters.forgetHistory() > 0 != (executors.recorded() == Executors.Recorded.UNREAD)) {
            throw new IllegalStateException(
                    name() + ": the history has entries though it is off, or none though it is on");
        }
    }

    /** Works through a set of which so many tasks pass and so many fail, in a pod of so many slots. */
    public void check(int slots, TaskSource source, long passing, long failing) throws Exception {
        String uid = headquarters.open(pool(slots), executors.execution(), executors.batch(), source);
        Waiting.await("the end of a set of " + name(), PATIENCE, () -> {
            TaskSetSnapshot now = headquarters.snapshot(uid);
            return now.succeeded() + now.failed() == source.tasks();
        });
        TaskSetSnapshot end = headquarters.snapshot(uid);
        headquarters.remove(uid);
        headquarters.forgetHistory();
        if (end.succeeded() != passing || end.failed() != failing) {
            throw new IllegalStateException("%s: %d passed and %d failed, not %d and %d"
                    .formatted(name(), end.succeeded(), end.failed(), passing, failing));
        }
    }

    /**
     * Waits for further tasks; returns their number now. A starved machine may not finish a single task within the
     * time.
     */
    private long awaitMore(String uid, long before) throws Exception {
        AtomicLong now = new AtomicLong();
        Waiting.await("a task of " + name(), PATIENCE, () -> {
            now.set(headquarters.snapshot(uid).succeeded());
            return now.get() > before;
        });
        return now.get();
    }

    @Override
    public List<String> remarks() {
        return costs.entrySet().stream()
                .map(cost -> "%s, %d slots: processor time of a task %s (last round)"
                        .formatted(name(), cost.getKey(), cost.getValue()))
                .toList();
    }

    @Override
    public void close() throws IOException {
        for (Worker worker : workers.values()) {
            worker.close();
        }
        headquarters.close();
    }
}
