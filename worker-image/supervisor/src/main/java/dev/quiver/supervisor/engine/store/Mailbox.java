package dev.quiver.supervisor.engine.store;

import java.util.concurrent.ConcurrentLinkedQueue;

/** The way into the engine's thread: anybody posts, one thread takes, in the order of arrival. */
public final class Mailbox {

    private final ConcurrentLinkedQueue<Runnable> letters = new ConcurrentLinkedQueue<>();
    private final Runnable wake;

    /**
     * An empty one.
     *
     * @param wake ends the reader's sleep, after each letter: it costs next to nothing while the reader is awake
     */
    public Mailbox(Runnable wake) {
        this.wake = wake;
    }

    /** Adds something for the engine's thread to do. */
    public void post(Runnable letter) {
        letters.add(letter);
        wake.run();
    }

    /** Adds something that can wait until the engine's thread wakes for another reason. */
    public void postQuietly(Runnable letter) {
        letters.add(letter);
    }

    /** The oldest letter, or null when there is none. */
    public Runnable poll() {
        return letters.poll();
    }

    /** Whether the reader can rest. */
    public boolean isEmpty() {
        return letters.isEmpty();
    }
}
