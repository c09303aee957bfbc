package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * Any order of claims, settlements, lost replies, deaths, pauses, cancels and feeds, against a model of what each task
 * and each counter must be. {@code -Dquiver.seed=…} repeats one run,
 * {@code -Dquiver.random.seconds=…} goes on for so long.
 */
class RandomLifecycleIT {

    /** The rounds that a busy machine does at least, and how long it begins others. */
    private static final int FEWEST = 10;

    private static final Duration ENOUGH = Duration.ofSeconds(Integer.getInteger("quiver.random.seconds", 20));

    /** Leases end only when a run says so. */
    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void countsEveryTaskOnceInAnyOrder() {
        Long given = Long.getLong("quiver.seed");
        long first = given != null ? given : new Random().nextLong() >>> 1;
        try (LossyProxy proxy = new LossyProxy(REDIS.process().port());
                RedisStore lossy = RedisStore.open(proxy.endpoint(), "lossy");
                RedisStore sure = REDIS.open()) {
            long begin = System.nanoTime();
            for (int i = 0; given != null ? i < 1 : i < FEWEST || System.nanoTime() - begin < ENOUGH.toNanos(); i++) {
                long seed = first + i;
                try {
                    new RandomRun(seed, proxy, lossy, sure, BY_HAND).run();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("repeat with -Dquiver.seed=" + seed + ": " + e.getMessage(), e);
                }
            }
        }
    }
}
