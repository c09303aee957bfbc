package dev.quiver.bench.mapreduce;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.TaskTimes;
import dev.quiver.bench.quiver.TimedHandler;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;

/** One worker pod with real handlers in C, and the map-reduces that run on it one after another. */
final class JobPod implements Closeable {

    private static final String NAMESPACE = "jobs";
    private static final Duration KEEP = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration LOOK = Duration.ofMillis(5);

    /** The array of a hundred thousand numbers is six times as long. */
    private static final int REGION_BYTES = 1 << 20;

    private final String pool;
    private final Headquarters headquarters;
    private final TaskTimes times;
    private final long redisPid;
    private final Worker worker;

    private JobPod(String pool, Headquarters headquarters, TaskTimes times, long redisPid, Worker worker) {
        this.pool = pool;
        this.headquarters = headquarters;
        this.times = times;
        this.redisPid = redisPid;
        this.worker = worker;
    }

    /** A pod with so many slots for jobs of so many chunks at most. */
    static JobPod start(Lab lab, RedisServer redis, int slots, int mostChunks) throws Exception {
        String pool = NAMESPACE + "-" + slots;
        Headquarters headquarters = new Headquarters(redis.port(), NAMESPACE);
        try {
            TaskTimes times = TaskTimes.create(lab, mostChunks + 1);
            Worker.Post post =
                    new Worker.Post(NAMESPACE, pool, headquarters.announce(pool), slots).withRegions(REGION_BYTES);
            Worker worker = Worker.start(
                    lab,
                    Program.supervisor(lab),
                    post,
                    redis.port(),
                    TimedHandler.serving(lab, Optional.of(times), Duration.ZERO, TimedHandler.mapReduceFunctions()));
            return new JobPod(pool, headquarters, times, redis.pid(), worker);
        } catch (Exception failure) {
            headquarters.close();
            throw failure;
        }
    }

    Worker worker() {
        return worker;
    }

    long redisPid() {
        return redisPid;
    }

    /**
     * The times of a job.
     *
     * @param chunkSeconds from the start of the first chunk to the end of the last one, combines included
     * @param toReduceMillis from the end of the last chunk, or of the last combine, to the start of reduce
     * @param keptResults of chunks and combines that Redis held at a time, at most
     */
    record Job(double chunkSeconds, double toReduceMillis, long keptResults) {}

    /** Runs a job to its end and checks its result. */
    Job run(int chunks, int fanIn) throws Exception {
        times.clear();
        String tree = headquarters
                .plant(List.of(TimedHandler.mapReduce(pool, chunks, fanIn)), KEEP)
                .getFirst();
        long[] kept = {0};
        Waiting.await("the end of a map-reduce of " + chunks + " chunks", PATIENCE, () -> {
            Waiting.letPass(LOOK);
            kept[0] = Math.max(kept[0], headquarters.keptResults(tree));
            return headquarters.tree(tree).orElseThrow().over();
        });
        check(tree, "" + (long) chunks * (chunks - 1) / 2);
        long first = IntStream.range(0, chunks).mapToLong(times::start).min().orElseThrow();
        long last = IntStream.range(0, chunks).mapToLong(times::end).max().orElseThrow();
        long reduce = times.start(times.length() - 1);
        return new Job((reduce - first) / 1e9, (reduce - last) / 1e6, kept[0]);
    }

    /** Runs the same numbers as leaves of one group; returns the seconds from the first start to the last end. */
    double runAsGroup(int leaves) throws Exception {
        times.clear();
        List<TreeNode> all = IntStream.range(0, leaves)
                .mapToObj(leaf -> TimedHandler.leaf(pool, TimedHandler.FUNCTION, leaf, 1))
                .toList();
        TreeNode group = new TreeNode.Group(all, 0, OnChildError.FAIL, Optional.empty(), TaskBody.named("group"));
        String tree = headquarters.plant(List.of(group), KEEP).getFirst();
        Waiting.await("the end of a group", PATIENCE, () -> {
            Waiting.letPass(LOOK);
            return headquarters.tree(tree).orElseThrow().over();
        });
        long first = IntStream.range(0, leaves).mapToLong(times::start).min().orElseThrow();
        long last = IntStream.range(0, leaves).mapToLong(times::end).max().orElseThrow();
        return (last - first) / 1e9;
    }

    private void check(String tree, String expected) {
        TreeState end = headquarters.tree(tree).orElseThrow();
        if (end.state() != TreeState.State.FINISHED
                || !headquarters.result(tree).equals(expected)) {
            throw new IllegalStateException("a map-reduce ended as " + end + ", its result should be " + expected);
        }
    }

    @Override
    public void close() throws IOException {
        worker.close();
        headquarters.close();
    }
}
