package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.controller.store.WellServer;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StoreFacts;

class PoolCallsTest {

    private final StoreWatch watch = new StoreWatch(new WellServer(), Clock.systemUTC(), _ -> {});
    private final KeyspaceRecords records = new KeyspaceRecords(null, "quiver");
    private final List<Keyspace> called = new ArrayList<>();
    private final PoolCalls calls =
            new PoolCalls(records, new StoreCalls(watch, Clock.systemUTC(), _ -> {}), keyspace -> {
                called.add(keyspace);
                return null;
            });

    private static WorkerPool pool(String keyspace) {
        WorkerPool pool = Samples.pool("p", 1);
        pool.getMetadata().setNamespace("a");
        pool.setSpec(
                WorkerPoolSpecBuilder.builder(pool.getSpec()).keyspace(keyspace).build());
        return pool;
    }

    @Test
    void aCallGoesToTheKeyspaceOfThePool() {
        assertThat(calls.tryRun(pool("nightly"), _ -> {})).as("Redis is away").isFalse();
        assertThat(called).isEmpty();
        watch.look();
        assertThat(calls.tryRun(pool("nightly"), _ -> {})).isTrue();
        assertThat(called).containsExactly(Keyspace.of("a", "nightly"));
    }

    @Test
    void aKeyspaceThatIsOneTooManyIsLeftAlone() {
        watch.look();
        IntStream.range(0, 64)
                .forEach(i -> records.keep(Keyspace.of("a", "k" + i), new StoreFacts("e", 1, Optional.of("r"))));
        assertThat(calls.serves(pool("k7"))).isTrue();
        assertThat(calls.serves(pool("nightly"))).isFalse();
        assertThat(calls.tryRun(pool("nightly"), _ -> {})).isFalse();
        assertThat(called).isEmpty();
    }
}
