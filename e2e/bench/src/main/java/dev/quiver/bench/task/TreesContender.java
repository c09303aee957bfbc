package dev.quiver.bench.task;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Pace;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.bench.throughput.CpuCost;

/** Trees of one shape. For each number of slots there is a worker of its own. */
final class TreesContender implements Contender {

    /** When the trees are made. */
    enum Supply {
        /** As fast as they are worked off. */
        ALONG(""),
        /** Before the worker begins, as the peers have it: the supervisor is stopped meanwhile. */
        BEFORE(", filled before");

        private final String words;

        Supply(String words) {
            this.words = words;
        }
    }

    private static final String NAMESPACE = "trees";
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofMillis(5);

    /** Submissions that are not worked off, so that the worker never waits for the next one. */
    private static final int AHEAD = 4;

    /** How much more is filled than the fastest turn so far would take. */
    private static final double RESERVE = 1.5;

    private final Shape shape;
    private final Supply supply;
    private final Headquarters headquarters;
    private final long redisPid;
    private final Map<Integer, Worker> workers = new HashMap<>();
    private final Map<Integer, String> costs = new TreeMap<>();

    private double fastest = 15_000;

    private TreesContender(Shape shape, Supply supply, Headquarters headquarters, long redisPid) {
        this.shape = shape;
        this.supply = supply;
        this.headquarters = headquarters;
        this.redisPid = redisPid;
    }

    static TreesContender start(
            Lab lab, Shape shape, Supply supply, ExecutorProgram program, List<Integer> sizes, RedisServer redis)
            throws Exception {
        TreesContender contender =
                new TreesContender(shape, supply, new Headquarters(redis.port(), NAMESPACE), redis.pid());
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
        return (shape.name() + "-" + supply.name() + "-" + slots).toLowerCase(Locale.ROOT);
    }

    @Override
    public String name() {
        return shape.words() + supply.words;
    }

    @Override
    public double turn(int concurrency, Pace pace) throws Exception {
        return work(concurrency, pace.warmUp(), pace.window());
    }

    /** Leaves a second in the window. */
    private double work(int slots, Duration warmUp, Duration window) throws Exception {
        return supply == Supply.ALONG ? along(slots, warmUp, window) : before(slots, warmUp, window);
    }

    private double before(int slots, Duration warmUp, Duration window) throws Exception {
        String pool = pool(slots);
        double seconds = warmUp.plus(window).toMillis() / 1e3;
        while (true) {
            long begin = headquarters.leavesDone(pool);
            long all = fill(slots, begin, (long) (fastest * seconds * RESERVE));
            Waiting.await("a leaf of " + name(), PATIENCE, () -> headquarters.leavesDone(pool) > begin);
            Waiting.letPass(warmUp);
            long from = System.nanoTime();
            long before = headquarters.leavesDone(pool);
            CpuCost cpu = CpuCost.of(workers.get(slots), redisPid);
            Waiting.letPass(window);
            long until = System.nanoTime();
            long after = headquarters.leavesDone(pool);
            costs.put(slots, CpuCost.of(workers.get(slots), redisPid).since(cpu, Math.max(1, after - before)));
            Waiting.await("the last leaves of " + name(), PATIENCE, () -> headquarters.leavesDone(pool) == all);
            if (after < all) {
                double rate = (after - before) * 1e9 / (until - from);
                fastest = Math.max(fastest, rate);
                return rate;
            }
            fastest *= 2;
        }
    }

    /** Plants so many leaves at least while the supervisor is stopped; returns how many will have ended at last. */
    private long fill(int slots, long done, long leaves) throws IOException {
        Child supervisor = workers.get(slots).supervisor();
        supervisor.signal("STOP");
        try {
            long all = done;
            while (all < done + leaves) {
                headquarters.plant(shape.roots(pool(slots)), Duration.ZERO);
                all += shape.leaves();
            }
            return all;
        } finally {
            supervisor.signal("CONT");
        }
    }

    private double along(int slots, Duration warmUp, Duration window) throws Exception {
        String pool = pool(slots);
        long end = feed(pool, headquarters.leavesDone(pool), System.nanoTime() + warmUp.toNanos());
        long from = System.nanoTime();
        long before = headquarters.leavesDone(pool);
        CpuCost cpu = CpuCost.of(workers.get(slots), redisPid);
        long all = feed(pool, end, from + window.toNanos());
        long until = System.nanoTime();
        long after = headquarters.leavesDone(pool);
        costs.put(slots, CpuCost.of(workers.get(slots), redisPid).since(cpu, Math.max(1, after - before)));
        Waiting.await("the last leaves of " + name(), PATIENCE, () -> headquarters.leavesDone(pool) == all);
        return (after - before) * 1e9 / (until - from);
    }

    /** Keeps some trees going on until then; returns how many leaves will have ended when all have. */
    private long feed(String pool, long planted, long until) throws InterruptedException {
        long all = planted;
        while (System.nanoTime() < until) {
            if (all - headquarters.leavesDone(pool) < (long) AHEAD * shape.leaves()) {
                headquarters.plant(shape.roots(pool), Duration.ZERO);
                all += shape.leaves();
            } else {
                Waiting.letPass(PAUSE);
            }
        }
        return all;
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
