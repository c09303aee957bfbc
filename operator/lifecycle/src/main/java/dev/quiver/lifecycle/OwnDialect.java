package dev.quiver.lifecycle;

import java.util.List;
import java.util.stream.Stream;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.KeyspaceScripts;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.keyspace.OwnKeyspaceHealth;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.ordinals.OrdinalSources;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.taskset.OwnTaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetKind;
import dev.quiver.lifecycle.taskset.TaskSetScripts;
import dev.quiver.lifecycle.worker.OwnPoolControl;
import dev.quiver.lifecycle.worker.OwnReaper;
import dev.quiver.lifecycle.worker.OwnTaskSetWork;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SourceKinds;
import dev.quiver.lifecycle.worker.TaskSetWork;
import dev.quiver.lifecycle.worker.WorkerScripts;

/** The dialect of this project: a fixed set of keys for each TaskSet, one script for each change. See DESIGN.md. */
public final class OwnDialect implements TaskSetDialect {

    /** Its scripts as functions. Where a Redis has them they are called so, elsewhere by digest and text. */
    public static final ScriptLibrary LIBRARY =
            ScriptLibrary.of(Stream.of(KeyspaceScripts.ALL, WorkerScripts.ALL, OrdinalScripts.ALL, TaskSetScripts.ALL)
                    .flatMap(List::stream)
                    .toList());

    private final RedisStore store;
    private final LeaseTimes times;

    /** Over a store that the caller closes. */
    public OwnDialect(RedisStore store) {
        this(store, LeaseTimes.DEFAULT);
    }

    /** With other times than the usual ones, for tests. */
    public OwnDialect(RedisStore store, LeaseTimes times) {
        this.store = store;
        this.times = times;
    }

    @Override
    public KeyspaceHealth health(Keyspace keyspace, long leaderTerm) {
        return new OwnKeyspaceHealth(new LeaderCalls(store, keyspace, leaderTerm), times);
    }

    @Override
    public TaskSetControl control(Keyspace keyspace, long leaderTerm) {
        return new OwnTaskSetControl(new LeaderCalls(store, keyspace, leaderTerm));
    }

    @Override
    public PoolControl pools(Keyspace keyspace, long leaderTerm) {
        return new OwnPoolControl(new LeaderCalls(store, keyspace, leaderTerm));
    }

    private SourceKinds kinds(Keyspace keyspace) {
        return new SourceKinds(List.of(new OrdinalSources(store, keyspace, new TaskSetKind(keyspace))));
    }

    @Override
    public TaskSetWork work(Keyspace keyspace) {
        return new OwnTaskSetWork(store, keyspace, times, kinds(keyspace));
    }

    @Override
    public Reaper reaper(Keyspace keyspace) {
        return new OwnReaper(store, keyspace, times, kinds(keyspace));
    }
}
