package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.store.KeyspaceStates;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.controller.store.WellServer;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.ResourceAlias;
import dev.quiver.crds.v1alpha1.ResourceLoss;
import dev.quiver.crds.v1alpha1.ResourceProbe;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.ScheduleProbe;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpec;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;

class PoolOrdersTest {

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("a");

    private final List<String> calls = new ArrayList<>();
    private final StoreWatch store = new StoreWatch(new WellServer(), Clock.systemUTC(), _ -> {});
    private final WorkerRegistries registries = new WorkerRegistries(
            keyspace -> new PoolGrantsTest.Pools().pools(keyspace, 1),
            store,
            new KeyspaceStates(store, Clock.systemUTC()),
            Clock.systemUTC());
    private boolean silent;

    @BeforeEach
    void redisIsThere() {
        store.look();
    }

    private PoolOrders leader() {
        return new PoolOrders(new StoreCalls(store, Clock.systemUTC(), _ -> {}), registries, _ -> (pool, wishes) -> {
            if (silent) {
                throw new StoreUnreachableException("no answer", null);
            }
            calls.add(pool + " " + wishes.ageingPerMinute());
        });
    }

    private static WorkerPool pool(int ageing) {
        WorkerPool pool = Samples.pool("p", 1);
        pool.getMetadata().setNamespace("a");
        pool.getMetadata().setUid("uid");
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .ageingPerMinute(ageing)
                .build());
        return pool;
    }

    private void announce() {
        registries.follow(pool(0), KEYSPACE);
        registries.poll(KEYSPACE);
    }

    @Test
    void anOrderIsSaidOnceAndAtEachChange() {
        PoolOrders orders = leader();
        assertThat(orders.sync(pool(5), KEYSPACE)).as("not announced yet").isTrue();
        assertThat(calls).isEmpty();
        announce();
        assertThat(orders.sync(pool(5), KEYSPACE)).isTrue();
        assertThat(orders.sync(pool(5), KEYSPACE)).isTrue();
        assertThat(orders.sync(pool(7), KEYSPACE)).isTrue();
        assertThat(calls).containsExactly("p 5", "p 7");
    }

    private static final ResourceProbe OFFICE =
            new ResourceProbe(null, null, new ScheduleProbe("@daily", 60, null), null, null, null, null);

    @Test
    void resourcesAndTheirAliasesAreWishes() {
        WorkerPoolSpec spec = WorkerPoolSpecBuilder.builder(pool(0).getSpec())
                .resources(List.of(
                        new PoolResource("online", null, 5, 60, ResourceLoss.Cancel, null),
                        new PoolResource("happy!*", ResourceState.Missing, null, null, null, null),
                        new PoolResource("office", null, null, null, null, OFFICE)))
                .resourceAliases(List.of(new ResourceAlias("account!*", List.of("online", "happy!*"))))
                .build();
        assertThat(PoolOrders.wishes(spec).resources())
                .isEqualTo(Map.of(
                        "online",
                        new PoolOrder.Declared(true, Optional.of(5), Optional.of(60), true, false),
                        "happy!*",
                        PoolOrder.Declared.uncounted(false),
                        "office",
                        new PoolOrder.Declared(true, Optional.empty(), Optional.empty(), false, true)));
        assertThat(PoolOrders.wishes(spec).aliases()).isEqualTo(Map.of("account!*", List.of("online", "happy!*")));
    }

    @Test
    void aChangeWhileRedisIsAwayIsSaidWhenItIsBack() {
        PoolOrders orders = leader();
        announce();
        assertThat(orders.sync(pool(5), KEYSPACE)).isTrue();
        silent = true;
        assertThat(orders.sync(pool(7), KEYSPACE)).as("call again").isFalse();
        assertThat(orders.sync(pool(7), KEYSPACE)).isFalse();
        silent = false;
        assertThat(orders.sync(pool(7), KEYSPACE)).isTrue();
        assertThat(calls).containsExactly("p 5", "p 7");
    }
}
