package dev.quiver.supervisor.execution;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An executor whose events come from the threads of the test: there is nothing to poll. */
abstract class TellingExecutor implements TaskExecutor {
    @Override
    public long inputBytes() {
        return 1 << 20;
    }

    private volatile Thread sleeper;

    @Override
    public void poll() {
        // Events are told when they happen.
    }

    @Override
    public void sleep(long nanos, BooleanSupplier stay) {
        sleeper = Thread.currentThread();
        if (stay.getAsBoolean()) {
            LockSupport.parkNanos(this, nanos);
        }
    }

    @Override
    public void wake() {
        LockSupport.unpark(sleeper);
    }
}
