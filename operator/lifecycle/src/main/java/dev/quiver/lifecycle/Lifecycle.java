package dev.quiver.lifecycle;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.quiver.lifecycle.history.stream.HistoryBacklog;
import dev.quiver.lifecycle.history.stream.HistoryScripts;
import dev.quiver.lifecycle.history.stream.RunDeletions;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.KeyspaceScripts;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.mapreduce.JobReader;
import dev.quiver.lifecycle.mapreduce.JobScripts;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.ordinals.OrdinalSources;
import dev.quiver.lifecycle.redis.EntryPoints;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.task.keys.ChunkScripts;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.queue.ChunkKind;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;
import dev.quiver.lifecycle.task.scheduling.Resources;
import dev.quiver.lifecycle.task.scheduling.SourcePlaces;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.taskset.RedisTaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetKind;
import dev.quiver.lifecycle.taskset.TaskSetScripts;
import dev.quiver.lifecycle.wires.idoit.IdoitGrants;
import dev.quiver.lifecycle.wires.idoit.IdoitQueues;
import dev.quiver.lifecycle.wires.idoit.IdoitScripts;
import dev.quiver.lifecycle.wires.idoit.IdoitTrees;
import dev.quiver.lifecycle.wires.queue.QueueGrants;
import dev.quiver.lifecycle.wires.queue.QueueJobs;
import dev.quiver.lifecycle.wires.queue.QueueScripts;
import dev.quiver.lifecycle.wires.queue.QueueSource;
import dev.quiver.lifecycle.wires.queue.QueueTrees;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.RedisPoolControl;
import dev.quiver.lifecycle.worker.RedisReaper;
import dev.quiver.lifecycle.worker.RedisWorkerSessions;
import dev.quiver.lifecycle.worker.SourceKinds;
import dev.quiver.lifecycle.worker.SourceRoster;
import dev.quiver.lifecycle.worker.WaitingWork;
import dev.quiver.lifecycle.worker.WorkerScripts;
import dev.quiver.lifecycle.worker.WorkerSessions;

/**
 * The entrance: puts together the parts that keep work in Redis. Each change is one script. Thread-safe. The parts are
 * light and may be made for each use, except {@link WorkerSessions}, whose sessions own a connection. Not final: a test
 * of the controller replaces a part. See DESIGN.md.
 */
public class Lifecycle {

    /** The module's scripts. */
    static final List<Script> SCRIPTS = Stream.of(
                    KeyspaceScripts.ALL,
                    WorkerScripts.ALL,
                    OrdinalScripts.ALL,
                    TaskSetScripts.ALL,
                    TaskScripts.ALL,
                    ChunkScripts.ALL,
                    JobScripts.ALL,
                    IdoitScripts.ALL,
                    QueueScripts.ALL,
                    HistoryScripts.ALL)
            .flatMap(List::stream)
            .toList();

    /** The scripts that adapt {@link #SCRIPTS} for programs of the release before; nothing was released before. */
    static final List<Script> ADAPTERS = List.of();

    /** The module's scripts as functions. A Redis that does not have them runs them by digest and text. */
    public static final ScriptLibrary LIBRARY =
            ScriptLibrary.of(SCRIPTS, new EntryPoints(KeyspaceHealth.CALLS, KeyspaceHealth.OLDEST_CALLS, ADAPTERS));

    private final RedisStore store;
    private final LeaseTimes times;

    /** Over a store that the caller closes. */
    public Lifecycle(RedisStore store) {
        this(store, LeaseTimes.DEFAULT);
    }

    /** With other times than the usual ones, for tests. */
    public Lifecycle(RedisStore store, LeaseTimes times) {
        this.store = store;
        this.times = times;
    }

    /** The identity of a keyspace, and the loss of its data. */
    public KeyspaceHealth health(Keyspace keyspace, long leaderTerm) {
        return new KeyspaceHealth(new LeaderCalls(store, keyspace, leaderTerm), times);
    }

    /** The part of a keyspace's record that nobody has read yet. */
    public HistoryBacklog backlog(Keyspace keyspace) {
        return HistoryBacklog.of(store, keyspace);
    }

    /** Tells the record of a keyspace which resources are deleted, fenced like {@link #control}. */
    public RunDeletions deletions(Keyspace keyspace, long leaderTerm) {
        return new RunDeletions(new LeaderCalls(store, keyspace, leaderTerm));
    }

    /**
     * The operator's side.
     *
     * @param leaderTerm transitions of the leader's Lease; a write under a lower term than the keyspace has seen throws
     *     {@link StaleLeaderException} and changes nothing
     */
    public TaskSetControl control(Keyspace keyspace, long leaderTerm) {
        return new RedisTaskSetControl(new LeaderCalls(store, keyspace, leaderTerm));
    }

    /** The operator's side of worker pools, fenced like {@link #control}. */
    public PoolControl pools(Keyspace keyspace, long leaderTerm) {
        return new RedisPoolControl(new LeaderCalls(store, keyspace, leaderTerm));
    }

    /** The work that waits for pools, for whoever sizes them. */
    public WaitingWork waiting(Keyspace keyspace) {
        return new WaitingWork(store, keyspace, tenantKinds(keyspace));
    }

    /** Trees of Tasks, for a caller that is no leader. */
    public TaskTrees trees(Keyspace keyspace) {
        return new TaskTrees(store, keyspace);
    }

    /** Trees of Tasks on the operator's side, fenced like {@link #control}. */
    public TaskTrees trees(Keyspace keyspace, long leaderTerm) {
        return new TaskTrees(new LeaderCalls(store, keyspace, leaderTerm));
    }

    /** Resources of pools, for whoever reads them. */
    public Resources resources(Keyspace keyspace) {
        return new Resources(store, keyspace);
    }

    /** Order of the waiting Tasks, fenced like {@link #control}. */
    public PoolOrder order(Keyspace keyspace, long leaderTerm) {
        return new PoolOrder(new LeaderCalls(store, keyspace, leaderTerm));
    }

    /** Places of TaskSets among the sources of their pools, fenced like {@link #control}. */
    public SourcePlaces places(Keyspace keyspace, long leaderTerm) {
        TaskSetKind sets = new TaskSetKind(store, keyspace);
        return new SourcePlaces(
                new LeaderCalls(store, keyspace, leaderTerm),
                source -> sets.keys(source).hash());
    }

    /** Map-reduce jobs for people; what changes them are their trees. */
    public JobReader jobs(Keyspace keyspace) {
        return new JobReader(store, keyspace);
    }

    /** The workers at a source of any kind, for people. */
    public SourceRoster roster(Keyspace keyspace) {
        return new SourceRoster(store, keyspace);
    }

    /** Schedules of Tasks on the operator's side, fenced like {@link #control}. */
    public TaskSchedules schedules(Keyspace keyspace, long leaderTerm) {
        return new TaskSchedules(new LeaderCalls(store, keyspace, leaderTerm));
    }

    private SourceKinds kinds(Keyspace keyspace, IdoitQueues idoit, QueueSource jobs) {
        return new SourceKinds(List.of(
                new OrdinalSources(store, keyspace, new TaskSetKind(store, keyspace)),
                new TaskQueues(store, keyspace),
                new OrdinalSources(store, keyspace, new ChunkKind(store, keyspace)),
                idoit,
                jobs));
    }

    private SourceKinds tenantKinds(Keyspace keyspace) {
        return kinds(
                keyspace,
                IdoitQueues.ofWorker(store, keyspace, IdoitQueues.LOCK),
                QueueSource.ofWorker(store, keyspace, QueueSource.LOCK));
    }

    /** The supervisor's side. */
    public WorkerSessions sessions(Keyspace keyspace) {
        return new RedisWorkerSessions(store, keyspace, times, tenantKinds(keyspace));
    }

    /** Takes back the tasks of sessions whose lease ended; any process with the rights of the tenant may drive it. */
    public Reaper reaper(Keyspace keyspace) {
        return new RedisReaper(store, keyspace, times, tenantKinds(keyspace));
    }

    /**
     * The same for a process with wider rights than the tenant's.
     *
     * @param granted whether a prefix beside the keyspace, which the tenant may have written, is granted to it
     */
    public Reaper upkeep(Keyspace keyspace, Predicate<String> granted) {
        return new RedisReaper(
                store,
                keyspace,
                times,
                kinds(
                        keyspace,
                        IdoitQueues.ofUpkeep(store, keyspace, granted),
                        QueueSource.ofUpkeep(store, keyspace, granted)));
    }

    /** Grants of prefixes of the wire to pools, fenced like {@link #control}. */
    public IdoitGrants grants(Keyspace keyspace, long leaderTerm) {
        return new IdoitGrants(new LeaderCalls(store, keyspace, leaderTerm));
    }

    /** Grants of prefixes of map-reduce programs to pools, fenced like {@link #control}. */
    public QueueGrants queueGrants(Keyspace keyspace, long leaderTerm) {
        return new QueueGrants(new LeaderCalls(store, keyspace, leaderTerm));
    }

    /**
     * Map-reduces of a type under a granted prefix, fenced like {@link #control}.
     *
     * @param pool that the prefix is granted to
     */
    public QueueTrees queueTrees(Keyspace keyspace, String prefix, String pool, String type, long leaderTerm) {
        return new QueueTrees(new QueueJobs(new LeaderCalls(store, keyspace, leaderTerm), prefix, pool), type);
    }

    /**
     * Trees of Tasks under a granted prefix, fenced like {@link #control}.
     *
     * @param pool that their composites belong to
     */
    public IdoitTrees trees(Keyspace keyspace, String prefix, String pool, long leaderTerm) {
        return new IdoitTrees(new LeaderCalls(store, keyspace, leaderTerm), prefix, pool);
    }
}
