package dev.quiver.lifecycle.task;

import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * Random trees in any order of claims, settlements, commands, lost calls, deaths, suspends and cancels. Each ends as it
 * must, each leaf counts once, and nothing is left. {@code -Dquiver.seed=…} repeats one run,
 * {@code -Dquiver.random.seconds=…} goes on for so long.
 */
public class RandomTreesIT {

    /** The rounds that a busy machine does at least, and how long it begins others. */
    private static final int FEWEST = 10;

    private static final Duration ENOUGH = Duration.ofSeconds(Integer.getInteger("quiver.random.seconds", 20));

    /** Leases end only when a run ends them. */
    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void endsEveryTreeAsItMustInAnyOrder() {
        Long given = Long.getLong("quiver.seed");
        long first = given != null ? given : new Random().nextLong() >>> 1;
        try (LossyProxy proxy = new LossyProxy(REDIS.process().port());
                RedisStore lossy = RedisStore.open(proxy.endpoint(), "lossy");
                RedisStore sure = REDIS.open()) {
            long begin = System.nanoTime();
            for (int i = 0; given != null ? i < 1 : i < FEWEST || System.nanoTime() - begin < ENOUGH.toNanos(); i++) {
                long seed = first + i;
                try {
                    new RandomTreeRun(seed, proxy, lossy, sure, BY_HAND).run();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("repeat with -Dquiver.seed=" + seed + ": " + e.getMessage(), e);
                }
            }
        }
    }
}
