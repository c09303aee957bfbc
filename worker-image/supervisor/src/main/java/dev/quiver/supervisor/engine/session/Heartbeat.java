package dev.quiver.supervisor.engine.session;

import java.time.Duration;

/**
 * When the session's lease is renewed. Pure.
 *
 * <p>The pause is a third of the lease when nothing runs. It is a second while tasks are held, because the answer also
 * says which of their sets are cancelled or suspended.
 */
final class Heartbeat {

    static final Duration IDLE = Duration.ofSeconds(3);
    static final Duration BUSY = Duration.ofSeconds(1);

    private boolean underWay;
    private long last;

    Heartbeat(long openedAt) {
        last = openedAt;
    }

    /** Nanoseconds until the next heartbeat is due; {@link Long#MAX_VALUE} while one is under way. */
    long nanosLeft(long now, boolean busy) {
        if (underWay) {
            return Long.MAX_VALUE;
        }
        long interval = (busy ? BUSY : IDLE).toNanos();
        return Math.max(0, interval - (now - last));
    }

    /** Makes the next heartbeat due now: something changed that the registry should say. */
    void hurry(long now) {
        last = now - IDLE.toNanos();
    }

    void sent(long now) {
        underWay = true;
        last = now;
    }

    void answered() {
        underWay = false;
    }
}
