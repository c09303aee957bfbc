package dev.quiver.bench.scheduling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.worker.Claim;

/** A boost of few, many and all of the tasks that wait, while a worker claims. */
record BoostMoves(RedisServer redis, SchedulingSizes sizes, Aims aims) {

    /** Milliseconds of the longest call of Redis. */
    private static final double LONGEST = 10;

    private static final int FEW = 10;
    private static final int MANY = 1000;
    private static final int SLOWLOG = 1000;
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final Duration QUIET = Duration.ofSeconds(2);

    void measure() throws Exception {
        redis.commands().configSet(Map.of("slowlog-log-slower-than", "200", "slowlog-max-len", "" + SLOWLOG));
        try {
            queued("of one class", "boosts-one", i -> tagged("all"), List.of("all"));
            queued("each a class", "boosts-each", this::ofItsOwn, List.of("few", "many", "all"));
        } finally {
            redis.commands().configSet("slowlog-log-slower-than", "-1");
        }
    }

    private static Rank tagged(String... tags) {
        return new Rank(0, List.of(tags), Optional.empty());
    }

    /** Those that came last have the tags of few: the first ones are claimed before anything is boosted. */
    private Rank ofItsOwn(int task) {
        String own = "own" + task;
        int behind = sizes.queued() - 1 - task;
        if (behind < FEW) {
            return tagged(own, "few", "many", "all");
        }
        return behind < MANY ? tagged(own, "many", "all") : tagged(own, "all");
    }

    private void queued(String what, String namespace, IntFunction<Rank> rank, List<String> tags) throws Exception {
        Map<String, Integer> concerned =
                new LinkedHashMap<>(Map.of("few", FEW, "many", Math.min(MANY, sizes.queued()), "all", sizes.queued()));
        try (PoolWork pool = new PoolWork(redis.port(), namespace)) {
            pool.make(sizes.queued(), rank);
            redis.restBetweenTurns();
            String all = String.format("%,d queued, %s", sizes.queued(), what);
            meanwhile(pool, all + ", nothing boosted", () -> Waiting.letPass(QUIET));
            for (String tag : tags) {
                String name = all + String.format(", a boost of %,d", concerned.get(tag));
                double before = redis.cpuMicros();
                redis.commands().slowlogReset();
                long begun = System.nanoTime();
                meanwhile(pool, name, () -> {
                    pool.boost(Map.of(tag, 1000));
                    pool.settle();
                    aims.add(name + ": until all have moved", (System.nanoTime() - begun) / 1e6, "ms");
                });
                aims.add(name + ": Redis, with the claims", (redis.cpuMicros() - before) / 1e3, "ms");
                aims.add(name + ": longest call", longestMillis(), "ms", LONGEST);
                pool.boost(Map.of());
                pool.settle();
                redis.restBetweenTurns();
            }
        }
    }

    private interface Act {
        void run() throws Exception;
    }

    /** One task after the other is claimed and settled, until the act has ended. */
    private void meanwhile(PoolWork pool, String name, Act act) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Times claims = new Times();
        CompletableFuture<Void> worker = CompletableFuture.runAsync(() -> {
            List<Claim> held = List.of();
            while (!over.get() || claims.count() < FEW) {
                long begun = System.nanoTime();
                held = pool.step(held, 1);
                claims.add((System.nanoTime() - begun) / 1e6);
                rest();
            }
            pool.step(held, 0);
        });
        try {
            act.run();
        } finally {
            over.set(true);
            worker.join();
        }
        aims.add(name + ": a claim, p50", claims.percentile(50), "ms");
        aims.add(name + ": a claim, p99", claims.percentile(99), "ms");
    }

    private static void rest() {
        try {
            Waiting.letPass(PAUSE);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The longest call above 0.2 ms, which stands for all below. */
    private double longestMillis() {
        List<Double> millis = new ArrayList<>(List.of(0.2));
        for (Object entry : redis.commands().slowlogGet(SLOWLOG)) {
            millis.add(((Number) ((List<?>) entry).get(2)).longValue() / 1e3);
        }
        return millis.stream().mapToDouble(each -> each).max().orElseThrow();
    }
}
