package dev.quiver.bench.scheduling;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

import dev.quiver.bench.Aims;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.worker.Claim;

/** Redis' processor time for the life of a task, block by block: made, claimed, settled, forgotten. */
record TaskLives(RedisServer redis, SchedulingSizes sizes, Aims aims) {

    private static final int[] BATCHES = {1, 8, 64};
    private static final String PLAIN = "plain";

    /** Tasks that wait behind those that live, so that a queue is never empty. */
    private static final int WAITING = 1000;

    private static Rank tagged(String tag) {
        return new Rank(0, List.of(tag), Optional.empty());
    }

    private static Rank needs(String resource) {
        return new Rank(0, List.of(), Optional.empty(), List.of(resource));
    }

    void measure() throws Exception {
        Map<String, IntFunction<Rank>> ways = new LinkedHashMap<>();
        ways.put(PLAIN, i -> Rank.NONE);
        ways.put("one class", i -> tagged("all"));
        ways.put("100 tags", i -> tagged("t" + i % 100));
        ways.put("counted", _ -> needs("db"));
        ways.put("64 keys with a permit each", i -> needs("key!" + i % 64));
        Map<String, PoolWork> pools = new LinkedHashMap<>();
        try {
            for (String way : ways.keySet()) {
                pools.put(way, new PoolWork(redis.port(), "lives-" + way.replace(' ', '-')));
                if (!ways.get(way).apply(0).resources().isEmpty()) {
                    pools.get(way).count(Map.of("db", 10_000, "key!*", 1));
                }
                pools.get(way).make(WAITING, ways.get(way));
            }
            for (int batch : BATCHES) {
                int rounds = Math.max(2, sizes.lives() / batch);
                for (int block = -1; block < sizes.blocks(); block++) {
                    double plain = 0;
                    for (String way : ways.keySet()) {
                        double micros = block(pools.get(way), ways.get(way), batch, rounds);
                        plain = way.equals(PLAIN) ? micros : plain;
                        if (block >= 0) {
                            add(batch, way, micros, plain);
                        }
                    }
                    redis.restBetweenTurns();
                }
            }
        } finally {
            pools.values().forEach(PoolWork::close);
        }
    }

    private void add(int batch, String way, double micros, double plain) {
        String what = "life of a task in batches of " + batch + ", " + way;
        aims.add(what, micros, "µs");
        if (!way.equals(PLAIN)) {
            aims.add(what + " / " + PLAIN, micros / plain, "times");
        }
    }

    /** Microseconds of a task. */
    private double block(PoolWork pool, IntFunction<Rank> rank, int batch, int rounds) {
        List<Claim> held = new ArrayList<>();
        double before = redis.cpuMicros();
        for (int round = 0; round < rounds; round++) {
            int first = round * batch;
            pool.make(batch, i -> rank.apply(first + i));
            held = pool.step(held, batch);
        }
        pool.step(held, 0);
        return (redis.cpuMicros() - before) / rounds / batch;
    }
}
