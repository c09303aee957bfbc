package dev.quiver.lifecycle.wires.queue;

import java.util.List;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.worker.SessionKeys;

/** Grants of prefixes to pools. Each call may be repeated. Thread-safe. */
public final class QueueGrants {

    private final LeaderCalls calls;

    /** The grants of one keyspace, under the leader's term. */
    public QueueGrants(LeaderCalls calls) {
        this.calls = calls;
    }

    /**
     * Lets a pool's workers run the jobs under a prefix.
     *
     * @param types whose names or limits differ from those of the handler of that name
     */
    public void grant(String pool, String prefix, List<QueueType> types) {
        calls.run(QueueScripts.GRANT, keys(pool)::key, pool, prefix, QueueGrant.write(types));
    }

    /** Takes it away. Its workers claim nothing more, what they hold is given back. */
    public void revoke(String pool) {
        calls.run(QueueScripts.REVOKE, keys(pool)::key, pool);
    }

    private QueueKeys keys(String pool) {
        return new QueueKeys(SessionKeys.ofPool(calls.keyspace(), pool));
    }
}
