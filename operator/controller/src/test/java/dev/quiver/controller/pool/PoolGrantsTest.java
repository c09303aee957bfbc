package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.KeyspaceStates;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.controller.store.WellServer;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.GrantedType;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.PoolControl;

class PoolGrantsTest {

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("a");
    private static final GrantedPrefixes PREFIXES = new GrantedPrefixes(Map.of("a", "idoit:"), false);

    private final List<String> calls = new ArrayList<>();
    private final StoreWatch store = new StoreWatch(new WellServer(), Clock.systemUTC(), _ -> {});
    private final WorkerRegistries registries = new WorkerRegistries(
            keyspace -> new Pools().pools(keyspace, 1),
            store,
            new KeyspaceStates(store, Clock.systemUTC()),
            Clock.systemUTC());
    private boolean silent;

    @BeforeEach
    void redisIsThere() {
        store.look();
    }

    private PoolGrants leader(GrantedPrefixes prefixes) {
        return new PoolGrants(
                new StoreCalls(store, Clock.systemUTC(), _ -> {}), prefixes, registries, _ -> new PrefixGrants() {
                    @Override
                    public void grant(String pool, GrantedPrefix granted) {
                        note("grant " + pool + " " + granted.prefix() + " " + granted.types());
                    }

                    @Override
                    public void revoke(String pool) {
                        note("revoke " + pool);
                    }
                });
    }

    private void note(String call) {
        if (silent) {
            throw new StoreUnreachableException("no answer", null);
        }
        calls.add(call);
    }

    private static WorkerPool pool(String prefix, GrantedType... types) {
        WorkerPool pool = Samples.pool("p", 1);
        pool.getMetadata().setNamespace("a");
        pool.getMetadata().setUid("uid");
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .grantedPrefix(prefix.isEmpty() ? null : new GrantedPrefix(prefix, List.of(types)))
                .build());
        return pool;
    }

    private void announce() {
        registries.follow(pool(""), KEYSPACE);
        registries.poll(KEYSPACE);
    }

    @Test
    void aPoolIsGrantedItsPrefixOnceItIsAnnounced() {
        PoolGrants grants = leader(PREFIXES);
        WorkerPool pool = pool(
                "idoit:", new GrantedType("resize", "thumbs", 3, 4, 5), new GrantedType("b", null, null, null, null));
        assertThat(grants.sync(pool, KEYSPACE)).isTrue();
        assertThat(calls).isEmpty();
        announce();
        assertThat(grants.sync(pool, KEYSPACE)).isTrue();
        assertThat(grants.sync(pool, KEYSPACE)).isTrue();
        assertThat(calls)
                .containsExactly("grant p idoit: "
                        + List.of(
                                new GrantedType("resize", "thumbs", 3, 4, 5), new GrantedType("b", null, 2, 60, 120)));
    }

    @Test
    void aChangeIsGrantedAndARemovalRevoked() {
        PoolGrants grants = leader(PREFIXES);
        announce();
        grants.sync(pool("idoit:"), KEYSPACE);
        grants.sync(pool("idoit:", new GrantedType("b", null, null, null, null)), KEYSPACE);
        grants.sync(pool(""), KEYSPACE);
        grants.sync(pool(""), KEYSPACE);
        grants.sync(pool("idoit:"), KEYSPACE);
        assertThat(calls.stream().map(call -> call.split(" ")[0])).containsExactly("grant", "grant", "revoke", "grant");
    }

    @Test
    void aPrefixOfNobodyIsRevoked() {
        PoolGrants grants = leader(PREFIXES);
        announce();
        grants.sync(pool("idoqueue:"), KEYSPACE);
        assertThat(calls).as("an earlier leader may have had other settings").containsExactly("revoke p");
    }

    @Test
    void aRedisThatLostThePoolIsAskedAgain() {
        PoolGrants grants = leader(PREFIXES);
        announce();
        grants.sync(pool("idoit:"), KEYSPACE);
        registries.announceAgain(KEYSPACE);
        grants.sync(pool("idoit:"), KEYSPACE);
        assertThat(calls).as("not announced yet").hasSize(1);
        announce();
        grants.sync(pool("idoit:"), KEYSPACE);
        assertThat(calls).hasSize(2);
    }

    @Test
    void whatRedisDidNotTakeIsSentAgain() {
        PoolGrants grants = leader(PREFIXES);
        announce();
        silent = true;
        assertThat(grants.sync(pool("idoit:"), KEYSPACE)).isFalse();
        silent = false;
        assertThat(grants.sync(pool("idoit:"), KEYSPACE)).isTrue();
        assertThat(calls).hasSize(1);
    }

    @Test
    void onAClusterNothingIsAsked() {
        PoolGrants grants = leader(new GrantedPrefixes(Map.of("a", "idoit:"), true));
        announce();
        assertThat(grants.sync(pool("idoit:"), KEYSPACE)).isTrue();
        grants.revoke("p", KEYSPACE);
        assertThat(calls).isEmpty();
    }

    @Test
    void aPoolThatIsDeletedLeavesNoGrant() {
        leader(PREFIXES).revoke("p", KEYSPACE);
        assertThat(calls).containsExactly("revoke p");
    }

    static final class Pools extends Lifecycle {

        Pools() {
            super(null);
        }

        @Override
        public PoolControl pools(Keyspace keyspace, long leaderTerm) {
            return new NoWorkers();
        }
    }

    private static final class NoWorkers implements PoolControl {

        @Override
        public Registered workers(Collection<String> pools, long mostBytes) {
            return new Registered(Map.of(), 0);
        }

        @Override
        public void announce(String pool, String poolUid) {}

        @Override
        public void drain(String pool, String podUid) {}

        @Override
        public void noteFate(String pool, String podUid, String fate) {}

        @Override
        public void noteContainerEnd(String pool, String podUid, String end) {}

        @Override
        public void undrain(String pool, String podUid) {}

        @Override
        public void keepDraining(String pool, Collection<String> podUids) {}

        @Override
        public void drop(String pool, String poolUid) {}
    }
}
