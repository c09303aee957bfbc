package dev.quiver.e2e.quiver;

import java.time.Duration;

/**
 * How long a test waits for what is promised within a time. The machines that run these tests are small and busy, so a
 * test proves that the thing happens; how fast it is, benchmarks say.
 */
public final class Promise {

    private static final int SLACK = 4;

    private Promise() {}

    /** The patience with a promise of so many seconds. */
    public static Duration ofSeconds(long promised) {
        return Duration.ofSeconds(promised * SLACK);
    }
}
