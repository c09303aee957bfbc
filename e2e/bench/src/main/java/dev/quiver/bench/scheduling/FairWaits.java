package dev.quiver.bench.scheduling;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.worker.Claim;

/**
 * The time from creation to end of the tasks of a key that has few. The pool has nothing else, or another key has many
 * tasks there. Slots are a list of ends; the calls are those of a program and of a worker.
 */
record FairWaits(RedisServer redis, SchedulingSizes sizes, Aims aims) {

    private static final int SLOTS = 32;
    /** In the mean; each task takes half of it to one and a half, or the slots would all come free at once. */
    private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** A fifth of what the slots can do. */
    private static final double EACH_NANOS = 5.0 * WORK_NANOS / SLOTS;

    /** p99 beside the other key, times that alone. */
    private static final double AIM = 1.5;

    private static final long SEED = 7;

    void measure() throws Exception {
        double alone = p99(0, true, "nothing else waits");
        String many = String.format("another key has %,d", sizes.backlog());
        double beside = p99(sizes.backlog(), true, many);
        double unfair =
                p99(sizes.backlog() / 20, false, String.format("in order of arrival behind %,d", sizes.backlog() / 20));
        aims.add("creation to end, p99, " + many + " / nothing else waits", beside / alone, "times", AIM);
        aims.add("creation to end, p99, in order of arrival / nothing else waits", unfair / alone, "times");
    }

    private double p99(int backlog, boolean fair, String what) throws Exception {
        try (PoolWork pool = new PoolWork(redis.port(), "fair-" + fair + backlog)) {
            if (fair) {
                pool.takeTurns();
            }
            pool.make(backlog, i -> key("big"));
            redis.restBetweenTurns();
            Times waits = new Times();
            Times times = times(pool, waits);
            aims.add("a key's tasks, " + what + ": creation to start, p99", waits.percentile(99), "ms");
            aims.add("a key's tasks, " + what + ": creation to end, p99", times.percentile(99), "ms");
            return times.percentile(99);
        }
    }

    private static Rank key(String key) {
        return new Rank(0, List.of(), Optional.of(key));
    }

    private record Running(Claim claim, long ends) {}

    private Times times(PoolWork pool, Times waits) throws InterruptedException {
        Random random = new Random(SEED);
        Times times = new Times();
        Map<String, Long> created = new HashMap<>();
        Queue<Running> running = new PriorityQueue<>(Comparator.comparingLong(Running::ends));
        long next = System.nanoTime();
        int made = 0;
        while (times.count() < sizes.waits()) {
            long now = System.nanoTime();
            if (now >= next && made < sizes.waits()) {
                created.put(pool.make(1, i -> key("small")).getFirst(), next);
                made++;
                next += (long) (-Math.log(1 - random.nextDouble()) * EACH_NANOS);
            }
            List<Claim> ended = new ArrayList<>();
            while (!running.isEmpty() && running.peek().ends() <= now) {
                ended.add(running.remove().claim());
            }
            for (Claim claim : ended) {
                Long began = created.remove(claim.id());
                if (began != null) {
                    times.add((now - began) / 1e6);
                }
            }
            List<Claim> claims = pool.step(ended, SLOTS - running.size());
            long started = System.nanoTime();
            for (Claim claim : claims) {
                running.add(new Running(claim, started + (long) (WORK_NANOS * (0.5 + random.nextDouble()))));
                if (created.containsKey(claim.id())) {
                    waits.add((started - created.get(claim.id())) / 1e6);
                }
            }
            if (claims.isEmpty() && ended.isEmpty()) {
                Waiting.until(System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(200));
            }
        }
        pool.step(running.stream().map(Running::claim).toList(), 0);
        return times;
    }
}
