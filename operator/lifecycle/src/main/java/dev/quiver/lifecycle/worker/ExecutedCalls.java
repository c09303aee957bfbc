package dev.quiver.lifecycle.worker;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many calls of a session Redis has executed, as far as their replies told. A Redis that came back with an earlier
 * state has counted fewer, and refuses the session that knows better. Tasks that were settled since may then be held
 * again. Each call is sent with the newest number, a repeated one too. Thread-safe.
 */
public final class ExecutedCalls {

    private final AtomicLong known = new AtomicLong();

    /** A reply gave this number. */
    public void learned(long executed) {
        known.accumulateAndGet(executed, Math::max);
    }

    /** The argument {@code executed} of a call that is sent now. */
    public String argument() {
        return Long.toString(known.get());
    }
}
