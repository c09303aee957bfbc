package dev.quiver.lifecycle.wires.idoit;

import java.util.List;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.worker.SessionKeys;

/** Grants of prefixes to pools. Each call may be repeated. Thread-safe. */
public final class IdoitGrants {

    private final LeaderCalls calls;

    /** The grants of one keyspace, under the leader's term. */
    public IdoitGrants(LeaderCalls calls) {
        this.calls = calls;
    }

    /**
     * Lets a pool's workers work at its tasks under a prefix.
     *
     * @param pool its name, which is its name on the wire, too
     * @param types whose names or limits differ from those of the handler of that name
     */
    public void grant(String pool, String prefix, List<IdoitType> types) {
        calls.run(IdoitScripts.GRANT, keys(pool)::key, pool, prefix, Grant.write(types));
    }

    /** Takes it away. Its workers claim nothing more, what they hold is given back. */
    public void revoke(String pool) {
        calls.run(IdoitScripts.REVOKE, keys(pool)::key, pool);
    }

    private IdoitKeys keys(String pool) {
        return new IdoitKeys(SessionKeys.ofPool(calls.keyspace(), pool));
    }
}
