package dev.quiver.lifecycle.taskset;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.KeyspaceHealth;
import dev.quiver.lifecycle.RedisStore;

/** The dialect of this project: a fixed set of keys for each TaskSet, one script for each change. See DESIGN.md. */
public final class OwnDialect implements TaskSetDialect {

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

    @Override
    public TaskSetWork work(Keyspace keyspace) {
        return new OwnTaskSetWork(store, keyspace, times);
    }

    @Override
    public Reaper reaper(Keyspace keyspace) {
        return new OwnReaper(store, keyspace, times);
    }
}
