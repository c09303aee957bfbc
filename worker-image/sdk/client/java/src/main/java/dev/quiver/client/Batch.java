package dev.quiver.client;

import java.util.List;

/**
 * Jobs that are created together. They stay here until Redis has confirmed them: where {@link #flush} throws, another one
 * goes on where it stopped, and nothing counts twice. Thread-safe.
 */
public final class Batch {

    private final List<Handle> handles;
    private final Runnable checkPools;
    private final Runnable create;
    private boolean checked;

    Batch(List<Handle> handles, Runnable checkPools, Runnable create) {
        this.handles = handles;
        this.checkPools = checkPools;
        this.create = create;
    }

    /** The handles of its jobs, in order. Before a flush has returned their jobs may be missing. */
    public List<Handle> handles() {
        return handles;
    }

    /**
     * Creates the jobs, and returns when Redis has confirmed all of them.
     *
     * @throws UnknownPoolException before any is created
     * @throws dev.quiver.lifecycle.redis.StoreUnreachableException when Redis gives no answer for as long as the client is
     *     patient
     * @throws dev.quiver.lifecycle.redis.StoreRefusedException when Redis refuses; some of the jobs may be created
     */
    public synchronized void flush() {
        if (!checked) {
            checkPools.run();
            checked = true;
        }
        create.run();
    }
}
