package dev.quiver.bench.scheduling;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

import dev.quiver.bench.Aims;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Rank;

/** A resource that almost all waiting tasks need is lost and comes back, while a worker claims the others. */
record GateMoves(RedisServer redis, SchedulingSizes sizes, Aims aims, Meanwhile meanwhile) {

    private static final String ONLINE = "online";

    /** One of so many tasks needs nothing. */
    private static final int FREE = 10;

    GateMoves(RedisServer redis, SchedulingSizes sizes, Aims aims) {
        this(redis, sizes, aims, new Meanwhile(redis, aims));
    }

    void measure() throws Exception {
        meanwhile.beginSlowlog();
        try {
            queued("of one class", "gates-one", _ -> List.of("all"));
            queued("each a class", "gates-each", task -> List.of("own" + task));
        } finally {
            meanwhile.endSlowlog();
        }
    }

    private void queued(String what, String namespace, IntFunction<List<String>> tags) throws Exception {
        String all = String.format("%,d queued, %s", sizes.queued(), what);
        try (PoolWork pool = new PoolWork(redis.port(), namespace)) {
            pool.declare(ONLINE, true);
            pool.make(
                    sizes.queued(),
                    task -> new Rank(
                            0, tags.apply(task), Optional.empty(), task % FREE == 0 ? List.of() : List.of(ONLINE)));
            for (boolean there : new boolean[] {false, true}) {
                redis.restBetweenTurns();
                change(pool, all + (there ? ", their resource comes back" : ", their resource is lost"), there);
            }
        }
    }

    private void change(PoolWork pool, String name, boolean there) throws Exception {
        double before = redis.cpuMicros();
        redis.commands().slowlogReset();
        long begun = System.nanoTime();
        meanwhile.measure(pool, name, () -> {
            pool.declare(ONLINE, there);
            aims.add(name + ": declared after", (System.nanoTime() - begun) / 1e6, "ms");
            pool.settle();
            aims.add(name + ": until all have moved", (System.nanoTime() - begun) / 1e6, "ms");
        });
        aims.add(name + ": Redis, with the claims", (redis.cpuMicros() - before) / 1e3, "ms");
        aims.add(name + ": longest call", meanwhile.longestMillis(), "ms", Meanwhile.LONGEST);
    }
}
