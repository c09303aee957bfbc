package dev.quiver.e2e.quiver;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The product's promise within a time: waited for, measured, said in the log. Every other bound of a test is only
 * there to end one that hangs.
 */
public final class Promise {

    /** The costs of looking from outside on two busy cores: a poll, a log's way through kubelet, a kubectl. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    private static final Duration POLL = Duration.ofMillis(100);

    /** Runnable threads for each processor up to which a promise is held to its time; with twice as many it gets twice. */
    private static final double HELD_TO = 3;

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private static final Logger LOG = LoggerFactory.getLogger(Promise.class);

    private final String what;
    private final Duration promised;
    private final long since;

    private Promise(String what, Duration promised, long since) {
        this.what = what;
        this.promised = promised;
        this.since = since;
    }

    /** A promise whose time begins now. */
    public static Promise of(String what, Duration promised) {
        return new Promise(what, promised, System.nanoTime());
    }

    /** A promise whose time began then. */
    public static Promise since(Instant then, String what, Duration promised) {
        return new Promise(
                what,
                promised,
                System.nanoTime() - Duration.between(then, Instant.now()).toNanos());
    }

    /**
     * Waits until it is kept, and fails when that takes longer than was promised, or in proportion longer on a machine
     * that is overloaded. A promise that is kept at the first look was not broken, however late that look is.
     */
    public void await(BooleanSupplier kept) {
        double load = load();
        while (!kept.getAsBoolean()) {
            load = Math.max(load, load()); // the mean of a minute learns late of what has just begun
            assertThat(Duration.ofNanos(System.nanoTime() - since))
                    .as("%s within %d s, at load %.0f", what, promised.toSeconds(), load)
                    .isLessThan(allowed(load));
            LockSupport.parkNanos(POLL.toNanos());
        }
        LOG.info(
                "{}: promised within {} s, seen after {} s at load {} on {} processors",
                what,
                promised.toSeconds(),
                String.format(Locale.ROOT, "%.1f", (System.nanoTime() - since) / 1e9),
                String.format(Locale.ROOT, "%.0f", load),
                PROCESSORS);
    }

    private Duration allowed(double load) {
        double stretch = Math.max(1, load / PROCESSORS / HELD_TO);
        return Duration.ofMillis((long) (promised.plus(SLACK).toMillis() * stretch));
    }

    /** The load of the last minute. */
    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }
}
