package dev.quiver.bench;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Lets time pass where time itself is measured, and awaits conditions elsewhere. */
public final class Waiting {

    private static final long POLL_NANOS = Duration.ofMillis(2).toNanos();

    private Waiting() {}

    /** Returns when the time is over, not before. */
    public static void letPass(Duration time) throws InterruptedException {
        until(System.nanoTime() + time.toNanos());
    }

    /** Returns when {@link System#nanoTime()} has reached the deadline, not before. */
    public static void until(long deadlineNanos) throws InterruptedException {
        for (long left; (left = deadlineNanos - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /**
     * Returns as soon as the condition holds, checked every 2 ms.
     *
     * @throws TimeoutException naming the awaited condition
     */
    public static void await(String what, Duration patience, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(what + " did not happen within " + patience.toMillis() + " ms");
            }
            until(System.nanoTime() + POLL_NANOS);
        }
    }
}
