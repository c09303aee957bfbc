package dev.quiver.http;

import java.io.InterruptedIOException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs each request on a virtual thread of its own, and bounds those that wait for the other side. They wait for the
 * rest of a request, or for room to write an answer. Beyond the bound, the thread that has waited longest is
 * interrupted, which closes its connection. If the newest were refused instead, a peer that holds all would keep every
 * other out. Thread-safe.
 */
final class Peers implements Executor, AutoCloseable {

    private final int most;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** In the order of waiting: the first has waited longest. */
    private final Set<Thread> waiting = new LinkedHashSet<>();

    /**
     * Begins with no waiting thread.
     *
     * @param most how many may wait at a time, 1 or more
     */
    Peers(int most) {
        this.most = most;
    }

    /** Begins with the reading of a request: its thread waits until it calls {@link #heard}. */
    @Override
    public void execute(Runnable request) {
        threads.execute(() -> {
            await();
            try {
                request.run();
            } finally {
                leave();
            }
        });
    }

    /** From here on the calling thread waits for the other side, as the newest. */
    void await() {
        synchronized (waiting) {
            waiting.add(Thread.currentThread());
            if (waiting.size() > most) {
                Iterator<Thread> oldest = waiting.iterator();
                Thread thread = oldest.next();
                oldest.remove();
                // Under the lock: a thread that has left in time is not interrupted.
                thread.interrupt();
            }
        }
    }

    /**
     * From here on the calling thread waits for nothing outside.
     *
     * @throws InterruptedIOException when the thread was interrupted before
     */
    void heard() throws InterruptedIOException {
        if (!leave()) {
            throw new InterruptedIOException("too many requests are being read");
        }
    }

    private boolean leave() {
        synchronized (waiting) {
            return waiting.remove(Thread.currentThread());
        }
    }

    /** Interrupts all. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
