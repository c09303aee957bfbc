package dev.quiver.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.awaitility.Awaitility;

import dev.quiver.e2e.quiver.RedisCli;

/** Redis whose memory somebody else has filled. Its bound is lowered before, so that a machine needs no room for it. */
record FullMemory(RedisCli redis) {

    private static final String FOREIGN = "chaos:foreign";
    private static final int KEYS = 8; // of the most bytes that a value may have in the chart's Redis
    private static final String BOUND = Integer.toString(KEYS * (8 << 20));
    private static final String FILL = "for i = 1, ARGV[1] do redis.call('SETRANGE', KEYS[1] .. i, 8388600, 'x') end";
    private static final String CLEAR = "for i = 1, ARGV[1] do redis.call('UNLINK', KEYS[1] .. i) end return 'clear'";

    /** Fills it, and gives it back after that time. */
    void hold(Duration time) {
        String bound = redis.run("CONFIG", "GET", "maxmemory").lines().toList().getLast();
        try {
            redis.run("EVAL", FILL, "1", FOREIGN, Integer.toString(KEYS));
            redis.run("CONFIG", "SET", "maxmemory", BOUND);
            assertThat(redis.run("SET", FOREIGN, "x")).contains("OOM");
            long until = System.nanoTime() + time.toNanos();
            Awaitility.await("the time of a full memory").until(() -> System.nanoTime() - until >= 0);
        } finally {
            Awaitility.await("the memory is given back")
                    .until(() -> redis.run("CONFIG", "SET", "maxmemory", bound).equals("OK")
                            && redis.run("EVAL", CLEAR, "1", FOREIGN, Integer.toString(KEYS))
                                    .equals("clear"));
        }
    }
}
