package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.ordinals.OrdinalFeed;

/**
 * The operator's changes to TaskSets in Redis. Every method is idempotent: after a {@link
 * dev.quiver.lifecycle.redis.StoreUnreachableException} call it again with the same arguments. Thread-safe.
 */
public interface TaskSetControl {

    /** Payloads of one {@link #feed} call at most. */
    int FEED_BATCH = OrdinalFeed.BATCH;

    /** Bytes of one payload at most (UTF-8). */
    int MAX_PAYLOAD_BYTES = OrdinalFeed.MAX_PAYLOAD_BYTES;

    /**
     * Creates the set, or finds it when this uid was opened before; its limits are then unchanged. Work by count or
     * matrix can be claimed at once; a fed set waits for {@link #feed}.
     */
    OpenOutcome open(TaskSetOpening opening);

    /**
     * The source whose one task is the program that names the tasks of a set. It is opened, changed, read and dropped as a
     * set is, and stands beside the set.
     */
    static String listing(String uid) {
        return TaskSetKeys.listing(uid);
    }

    /** The set that the source is, or whose program it is. */
    static String owner(String uid) {
        return TaskSetKeys.owner(uid);
    }

    /**
     * A page of the list that a program wrote.
     *
     * @param uid of the program's source
     * @param page from 0
     * @return whole lines; absent behind the last page
     */
    Optional<String> page(String uid, int page);

    /** Names tasks of a set that is not fed, for the record of a set that has one; the first names of a task stay. */
    default void name(String uid, RunNames names) {}

    /**
     * Appends the payloads of the tasks {@code offset, offset + 1, …} to a fed set. Tasks can be claimed as soon as
     * they are fed. Known tasks are skipped, so a repeated or overlapping call changes nothing.
     *
     * @param payloads at most {@link #FEED_BATCH}, each at most {@link #MAX_PAYLOAD_BYTES}; may be empty to close only
     * @param last closes the source: no task follows, and the set can finish
     */
    default OrdinalFeed.Outcome feed(String uid, long offset, List<String> payloads, boolean last) {
        return feed(uid, offset, payloads, last, Optional.empty());
    }

    /**
     * The same with the names of these tasks, for the record of a set that has one.
     *
     * @param names of as many tasks as there are payloads
     */
    OrdinalFeed.Outcome feed(String uid, long offset, List<String> payloads, boolean last, Optional<RunNames> names);

    /** Changes the status: see {@link StatusChange}. */
    StatusChange.Outcome changeStatus(String uid, StatusChange change);

    /**
     * Changes the mutable limits. A deadline counts from the start or the last resume of the set. Sessions beyond a
     * lowered bound stop claiming, the last to join first.
     *
     * @param maxWorkers sessions that may work at the set at once; 0 for no bound
     * @param maxParallelTasks tasks that may run at once, 0 for any number; a lowered bound ends no task
     * @param activeDeadline zero for none
     * @return false when the set is not there
     */
    boolean adjust(String uid, int maxWorkers, int maxParallelTasks, Duration activeDeadline);

    /**
     * Counters, status and failure samples of many sets in one flush of the connection.
     *
     * @param uids any number; batches of at most a few hundred keep Redis responsive
     * @return the sets that are there; an absent one is missing from the map
     */
    Map<String, TaskSetSnapshot> snapshot(Collection<String> uids);

    /**
     * Deletes every key of the set, even while sessions work at it, and leaves a tombstone for {@link #TOMBSTONE_AGE}.
     * Meanwhile {@code open} of this uid is refused, and late calls of workers find nothing. Allowed for a uid without
     * keys.
     */
    void drop(String uid);

    /** How long a dropped uid stays refused. */
    Duration TOMBSTONE_AGE = Duration.ofHours(1);

    /** The tasks of a set that ended without a pass. Repeat it while sessions hold some of them. */
    UnpassedTasks unpassed(String uid);

    /** All uids that have keys, for the sweep against the API server. */
    Set<String> present();

    /**
     * The sets that changed since they were last {@linkplain #clean cleaned}, oldest change first. They stay there.
     *
     * @param limit 1 to 1,000
     */
    List<DirtyMark> dirty(int limit);

    /**
     * The sets among these that have ended or are gone. Reads a few bytes of each set, whatever its size.
     *
     * @param uids at most 1,000
     */
    Set<String> ended(Collection<String> uids);

    /** Removes marks whose set has not changed since; to be called after the status was written. */
    void clean(Collection<DirtyMark> written);

    /** The outcome of {@link #open}. */
    sealed interface OpenOutcome {

        /**
         * The set is there.
         *
         * @param created whether this call made it
         * @param fed number of known tasks: the offset at which {@link TaskSetControl#feed} continues
         * @param sourceClosed whether no further task can be fed
         */
        record Open(boolean created, long fed, boolean sourceClosed) implements OpenOutcome {}

        /** The uid was dropped within the last hour: its resource is gone. */
        record Buried() implements OpenOutcome {}
    }
}
