package dev.quiver.supervisor.engine.store;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The way into the engine's thread: anybody posts, one thread takes, in the order of arrival.
 *
 * <p>Unpark is called only for a thread that parks: at a hundred thousand events a second the system calls would be
 * the work.
 */
public final class Mailbox {

    private final ConcurrentLinkedQueue<Runnable> letters = new ConcurrentLinkedQueue<>();
    private volatile Thread parked;

    /** Adds something for the engine's thread to do. */
    public void post(Runnable letter) {
        letters.add(letter);
        Thread reader = parked;
        if (reader != null) {
            // Until the reader runs, further letters need no further call.
            parked = null;
            LockSupport.unpark(reader);
        }
    }

    /** The oldest letter, or null when there is none. */
    public Runnable poll() {
        return letters.poll();
    }

    /** Waits until there may be a letter, at most so long; only the reading thread calls it. */
    public void await(long nanos) {
        if (nanos <= 0) {
            return;
        }
        parked = Thread.currentThread();
        try {
            if (letters.isEmpty()) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            parked = null;
        }
    }
}
