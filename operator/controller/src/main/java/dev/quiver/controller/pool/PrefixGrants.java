package dev.quiver.controller.pool;

import java.util.List;

import dev.quiver.lifecycle.task.idoit.IdoitGrants;
import dev.quiver.lifecycle.task.idoit.IdoitType;

/** What pools of one keyspace are granted in Redis. Each call may be repeated. */
public interface PrefixGrants {

    /** Lets a pool work under a prefix from now on; types that are not listed have the usual bounds. */
    void grant(String pool, String prefix, List<IdoitType> types);

    /** Ends that, if it was so. */
    void revoke(String pool);

    /** In Redis. */
    static PrefixGrants in(IdoitGrants redis) {
        return new PrefixGrants() {
            @Override
            public void grant(String pool, String prefix, List<IdoitType> types) {
                redis.grant(pool, prefix, types);
            }

            @Override
            public void revoke(String pool) {
                redis.revoke(pool);
            }
        };
    }
}
