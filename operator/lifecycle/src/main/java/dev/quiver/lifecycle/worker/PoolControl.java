package dev.quiver.lifecycle.worker;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunOpening;

/** The operator's changes to worker pools. Idempotent and thread-safe. */
public interface PoolControl {

    /**
     * Makes a WorkerPool the owner of its name. Only sessions of this uid are let in from now on; others are told at
     * their next heartbeat or pick. To be called before its pods are made, and again after a store loss.
     */
    void announce(String pool, String poolUid);

    /**
     * Says how the trees of a pool that have no resource are recorded: in one run for each hour. The call does nothing while
     * another uid owns the name.
     *
     * @param how absent: they are not
     */
    default void record(String pool, String poolUid, Optional<QueueRecord> how) {}

    /**
     * The record of such trees.
     *
     * @param recording what is recorded of each trial
     * @param opening what each run begins with; its name is the pool's, and the reader adds the hour
     */
    record QueueRecord(Recording recording, RunOpening opening) {}

    /** Bytes that one call of {@link #workers} reads at most. */
    long MOST_BYTES = 16L << 20;

    /**
     * The sessions of each pool, of one moment. A worker whose lease ended stays listed until it was reaped; compare
     * {@link WorkerRecord#lastHeartbeat} with {@link WorkerRecord#storeTime}.
     *
     * @param mostBytes that the registries of all these pools may take in Redis; more is refused, with the key's name
     */
    Registered workers(Collection<String> pools, long mostBytes);

    /** The sessions of each pool, {@link #MOST_BYTES} at most. */
    default Map<String, List<WorkerRecord>> workers(Collection<String> pools) {
        return workers(pools, MOST_BYTES).workers();
    }

    /**
     * The registries of some pools.
     *
     * @param workers of each pool that was asked for
     * @param bytes what their registries take in Redis
     */
    record Registered(Map<String, List<WorkerRecord>> workers, long bytes) {}

    /**
     * Tells a pod to take no more work, whichever sessions it opens; seen in its heartbeat and pick. The flag goes with
     * {@link #undrain} or with the pool.
     */
    void drain(String pool, String podUid);

    /** Takes the flag back, also when it is not there. For pods that are gone as well. */
    void undrain(String pool, String podUid);

    /** Takes the flag back from every pod of the pool but these, which are all that there are. */
    void keepDraining(String pool, Collection<String> podUids);

    /**
     * Notes what became of a pod that is deleted or gone. A task that is lost with it for the last time says so. The first
     * note of a pod stays; a pod without a session has none.
     *
     * @param fate for people, with the pod as its subject; {@value #FATE_BYTES} characters of printable ASCII are kept
     */
    void noteFate(String pool, String podUid, String fate);

    /**
     * Notes how the container of a pod that goes on has ended. Its supervisor asks for it before it reports the tasks that
     * the container ran as lost. A later note replaces the earlier one.
     *
     * @param end for people, as {@link #noteFate}'s
     */
    void noteContainerEnd(String pool, String podUid, String end);

    /** Characters of a pod's fate that are kept. */
    int FATE_BYTES = 300;

    /**
     * Forgets the pool if {@code poolUid} still owns the name: its sessions are told at their next heartbeat. The queue of
     * its sets stays with the sets.
     */
    void drop(String pool, String poolUid);
}
