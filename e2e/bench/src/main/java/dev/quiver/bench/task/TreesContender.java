package dev.quiver.bench.task;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Pace;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.bench.throughput.CpuCost;

/** Trees of one shape, made as fast as they are worked off: for each number of slots a worker of its own. */
final class TreesContender implements Contender {

    private static final String NAMESPACE = "trees";
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofMillis(5);

    /** Trees that go on at a time, so that the worker never waits for the next one. */
    private static final int AHEAD = 4;

    private final Shape shape;
    private final Headquarters headquarters;
    private final long redisPid;
    private final Map<Integer, Worker> workers = new HashMap<>();
    private final Map<Integer, String> costs = new TreeMap<>();

    private TreesContender(Shape shape, Headquarters headquarters, long redisPid) {
        this.shape = shape;
        this.headquarters = headquarters;
        this.redisPid = redisPid;
    }

    static TreesContender start(Lab lab, Shape shape, ExecutorProgram program, List<Integer> sizes, RedisServer redis)
            throws Exception {
        TreesContender contender = new TreesContender(shape, new Headquarters(redis.port(), NAMESPACE), redis.pid());
        try {
            Program supervisor = Program.supervisor(lab);
            for (int slots : sizes) {
                String uid = contender.headquarters.announce(contender.pool(slots));
                Worker.Post post = new Worker.Post(NAMESPACE, contender.pool(slots), uid, slots);
                contender.workers.put(slots, Worker.start(lab, supervisor, post, redis.port(), program));
                contender.work(slots, lab.pace().warmUp().multipliedBy(4), Duration.ZERO);
            }
            return contender;
        } catch (Exception failure) {
            contender.close();
            throw failure;
        }
    }

    private String pool(int slots) {
        return shape.name().toLowerCase(Locale.ROOT) + "-" + slots;
    }

    @Override
    public String name() {
        return shape.words();
    }

    @Override
    public double turn(int concurrency, Pace pace) throws Exception {
        return work(concurrency, pace.warmUp(), pace.window());
    }

    /** Leaves a second in the window. */
    private double work(int slots, Duration warmUp, Duration window) throws Exception {
        String pool = pool(slots);
        Deque<String> trees = new ArrayDeque<>();
        long done = headquarters.leavesDone(pool);
        feed(pool, trees, System.nanoTime() + warmUp.toNanos());
        long from = System.nanoTime();
        long before = headquarters.leavesDone(pool);
        CpuCost cpu = CpuCost.of(workers.get(slots), redisPid);
        feed(pool, trees, from + window.toNanos());
        long until = System.nanoTime();
        long after = headquarters.leavesDone(pool);
        costs.put(slots, CpuCost.of(workers.get(slots), redisPid).since(cpu, Math.max(1, after - before)));
        List<String> left = new ArrayList<>(trees);
        Waiting.await(
                "the last trees of " + name(), PATIENCE, () -> left.removeIf(headquarters::isOver) && left.isEmpty());
        long all = headquarters.leavesDone(pool) - done;
        if (all % shape.leaves() != 0) {
            throw new IllegalStateException(name() + ": " + all + " leaves in trees of " + shape.leaves());
        }
        return (after - before) * 1e9 / (until - from);
    }

    /** Keeps some trees going on until then. */
    private void feed(String pool, Deque<String> trees, long until) throws InterruptedException {
        while (System.nanoTime() < until) {
            trees.removeIf(headquarters::isOver);
            if (trees.size() < AHEAD) {
                trees.add(headquarters.plant(shape.root(pool)));
            } else {
                Waiting.letPass(PAUSE);
            }
        }
    }

    @Override
    public List<String> remarks() {
        return costs.entrySet().stream()
                .map(cost -> "%s, %d slots: processor time of a leaf %s (last round)"
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
