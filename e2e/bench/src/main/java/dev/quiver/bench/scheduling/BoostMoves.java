package dev.quiver.bench.scheduling;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Rank;

/** A boost of few, many and all of the tasks that wait, while a worker claims. */
record BoostMoves(RedisServer redis, SchedulingSizes sizes, Aims aims, Meanwhile meanwhile) {

    BoostMoves(RedisServer redis, SchedulingSizes sizes, Aims aims) {
        this(redis, sizes, aims, new Meanwhile(redis, aims));
    }

    private static final int FEW = 10;
    private static final int MANY = 1000;
    private static final Duration QUIET = Duration.ofSeconds(2);

    void measure() throws Exception {
        meanwhile.beginSlowlog();
        try {
            queued("of one class", "boosts-one", i -> tagged("all"), List.of("all"));
            queued("each a class", "boosts-each", this::ofItsOwn, List.of("few", "many", "all"));
        } finally {
            meanwhile.endSlowlog();
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
            meanwhile.measure(pool, all + ", nothing boosted", () -> Waiting.letPass(QUIET));
            for (String tag : tags) {
                String name = all + String.format(", a boost of %,d", concerned.get(tag));
                double before = redis.cpuMicros();
                redis.commands().slowlogReset();
                long begun = System.nanoTime();
                meanwhile.measure(pool, name, () -> {
                    pool.boost(Map.of(tag, 1000));
                    pool.settle();
                    aims.add(name + ": until all have moved", (System.nanoTime() - begun) / 1e6, "ms");
                });
                aims.add(name + ": Redis, with the claims", (redis.cpuMicros() - before) / 1e3, "ms");
                aims.add(name + ": longest call", meanwhile.longestMillis(), "ms", Meanwhile.LONGEST);
                pool.boost(Map.of());
                pool.settle();
                redis.restBetweenTurns();
            }
        }
    }
}
