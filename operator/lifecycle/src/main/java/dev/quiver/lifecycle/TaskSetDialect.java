package dev.quiver.lifecycle;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.TaskSetWork;

/**
 * One way to keep TaskSets in Redis. All dialects pass one contract test. Thread-safe; what it returns is light and may
 * be made for each use, except {@link TaskSetWork}, which owns a connection.
 */
public interface TaskSetDialect {

    /** The identity of a keyspace, and what became of it. */
    KeyspaceHealth health(Keyspace keyspace, long leaderTerm);

    /**
     * The operator's side.
     *
     * @param leaderTerm transitions of the leader's Lease; a write under a lower term than the keyspace has seen throws
     *     {@link dev.quiver.lifecycle.keyspace.StaleLeaderException} and changes nothing
     */
    TaskSetControl control(Keyspace keyspace, long leaderTerm);

    /** The operator's side of worker pools, fenced like {@link #control}. */
    PoolControl pools(Keyspace keyspace, long leaderTerm);

    /** The supervisor's side. */
    TaskSetWork work(Keyspace keyspace);

    /** Takes back the tasks of sessions whose lease ended; any process may drive it. */
    Reaper reaper(Keyspace keyspace);
}
