package dev.quiver.lifecycle.taskset;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What the operator does to worker pools. Idempotent and thread-safe. */
public interface PoolControl {

    /**
     * Makes a WorkerPool the owner of its name: only sessions of this uid are let in from now on, others are told at
     * their next beat or pick. To be called before its pods are made, and again after a store loss.
     */
    void announce(String pool, String poolUid);

    /**
     * The sessions of each pool, in one flush of the connection. A worker whose lease ended stays listed until it was
     * reaped; compare {@link WorkerRecord#lastBeat} with {@link WorkerRecord#storeTime}.
     */
    Map<String, List<WorkerRecord>> workers(Collection<String> pools);

    /**
     * Tells a pod to take no more work, whichever sessions it opens; seen in its beat and pick. The flag goes with
     * {@link #undrain} or with the pool.
     */
    void drain(String pool, String podUid);

    /** Takes the flag back, also when it is not there. For pods that are gone as well. */
    void undrain(String pool, String podUid);

    /**
     * Forgets the pool if {@code poolUid} still owns the name: its sessions are told at their next beat. The queue of
     * its sets stays with the sets.
     */
    void drop(String pool, String poolUid);
}
