package dev.quiver.bench.scheduling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.worker.Claim;

/** Times of a worker's claims while all that waits changes, and the longest call of Redis. */
record Meanwhile(RedisServer redis, Aims aims) {

    /** Milliseconds of the longest call: the aim. */
    static final double LONGEST = 10;

    private static final int FEW = 10;
    private static final int SLOWLOG = 1000;
    private static final Duration PAUSE = Duration.ofMillis(1);

    /** A change. */
    interface Act {
        void run() throws Exception;
    }

    /** Calls of more than 0.2 ms are noted from now on. */
    void beginSlowlog() {
        redis.commands().configSet(Map.of("slowlog-log-slower-than", "200", "slowlog-max-len", "" + SLOWLOG));
    }

    /** And no more. */
    void endSlowlog() {
        redis.commands().configSet("slowlog-log-slower-than", "-1");
    }

    /** One task after the other is claimed and settled, until the act has ended. */
    void measure(PoolWork pool, String name, Act act) throws Exception {
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
    double longestMillis() {
        List<Double> millis = new ArrayList<>(List.of(0.2));
        for (Object entry : redis.commands().slowlogGet(SLOWLOG)) {
            millis.add(((Number) ((List<?>) entry).get(2)).longValue() / 1e3);
        }
        return millis.stream().mapToDouble(each -> each).max().orElseThrow();
    }
}
