package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.worker.PoolControl;

/** The text that tenants write into their registries is in memory only up to a bound that holds for all of them. */
class WorkerRegistriesTest {

    private static final long MIB = 1 << 20;

    private final Map<Keyspace, Long> sizes = new HashMap<>();
    private final Map<Keyspace, Long> held = new HashMap<>();
    private final StoreWatch store = new StoreWatch(null, Clock.systemUTC(), _ -> {});
    private final KeyspaceStates keyspaces = new KeyspaceStates(store, Clock.systemUTC());
    private final WorkerRegistries registries =
            new WorkerRegistries(keyspace -> lifecycle().pools(keyspace, 1), store, keyspaces, Clock.systemUTC());

    @Test
    void manyFullRegistriesTakeABoundedPartOfTheHeapAndLeaveTheOthersTheirs() {
        List<Keyspace> hostile = IntStream.range(0, 15)
                .mapToObj(i -> Keyspace.ofNamespace("hostile-" + i))
                .toList();
        Keyspace good = Keyspace.ofNamespace("good");
        hostile.forEach(keyspace -> follow(keyspace, 16 * MIB));
        follow(good, MIB / 2);
        for (int round = 0; round < 3; round++) {
            hostile.forEach(this::poll);
            poll(good);
            assertThat(held.values().stream().mapToLong(Long::longValue).sum()).isLessThan(64 * MIB);
            assertThat(held).containsKey(good);
        }
    }

    @Test
    void aNamespaceAloneHasItsWholeBoundWithAllItsKeyspaces() {
        Keyspace one = Keyspace.of("alone", "one");
        Keyspace other = Keyspace.of("alone", "other");
        follow(one, 16 * MIB);
        follow(other, 1);
        poll(one);
        poll(other);
        assertThat(held).containsOnlyKeys(one);
        keyspaces.refused(one, new StoreRefusedException(StoreRefusedException.Kind.OTHER, "it is away", null));
        poll(other);
        assertThat(held).containsKey(other);
    }

    private void follow(Keyspace keyspace, long bytes) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(new ObjectMetaBuilder()
                .withName("p")
                .withNamespace(keyspace.namespace())
                .withUid(keyspace.prefix())
                .build());
        registries.follow(pool, keyspace);
        sizes.put(keyspace, bytes);
    }

    /** As a round does it: a refusal is the keyspace's trouble. */
    private void poll(Keyspace keyspace) {
        try {
            registries.poll(keyspace);
        } catch (StoreRefusedException no) {
            keyspaces.refused(keyspace, no);
            held.remove(keyspace);
        }
    }

    private Lifecycle lifecycle() {
        return new Lifecycle(null) {
            @Override
            public PoolControl pools(Keyspace keyspace, long leaderTerm) {
                return new Registry(keyspace);
            }
        };
    }

    /** A registry of that size. */
    private final class Registry implements PoolControl {

        private final Keyspace keyspace;

        Registry(Keyspace keyspace) {
            this.keyspace = keyspace;
        }

        @Override
        public Registered workers(Collection<String> pools, long mostBytes) {
            long size = sizes.get(keyspace);
            if (size > mostBytes) {
                throw new StoreRefusedException(StoreRefusedException.Kind.OTHER, "it is too large", null);
            }
            held.put(keyspace, size);
            return new Registered(Map.of(), size);
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
