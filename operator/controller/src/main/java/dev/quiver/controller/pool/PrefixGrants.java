package dev.quiver.controller.pool;

import java.util.List;

import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.GrantedType;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.lifecycle.wires.idoit.IdoitGrants;
import dev.quiver.lifecycle.wires.idoit.IdoitType;
import dev.quiver.lifecycle.wires.queue.QueueGrants;
import dev.quiver.lifecycle.wires.queue.QueueType;

/** The grants of the pools of one keyspace in Redis. Each call may be repeated. */
public interface PrefixGrants {

    /** Lets a pool work under a prefix from now on, and under no other; types that are not listed have the usual bounds. */
    void grant(String pool, GrantedPrefix granted);

    /** Ends that, if it was so. */
    void revoke(String pool);

    /** In Redis, for the programs of either wire. */
    static PrefixGrants in(IdoitGrants idoit, QueueGrants queue) {
        return new PrefixGrants() {
            @Override
            public void grant(String pool, GrantedPrefix granted) {
                if (granted.wire() == PrefixWire.Queue) {
                    idoit.revoke(pool);
                    queue.grant(pool, granted.prefix(), jobs(granted.types()));
                } else {
                    queue.revoke(pool);
                    idoit.grant(pool, granted.prefix(), tasks(granted.types()));
                }
            }

            @Override
            public void revoke(String pool) {
                idoit.revoke(pool);
                queue.revoke(pool);
            }
        };
    }

    private static List<IdoitType> tasks(List<GrantedType> types) {
        return types.stream()
                .map(type -> new IdoitType(
                        type.name(), type.handlerOrName(), type.maxTrials(), type.backoff(), type.timeout()))
                .toList();
    }

    private static List<QueueType> jobs(List<GrantedType> types) {
        return types.stream()
                .map(type -> new QueueType(
                        type.name(), type.handlerOrName(), type.maxTrials() - 1, type.backoff(), type.timeout()))
                .toList();
    }
}
