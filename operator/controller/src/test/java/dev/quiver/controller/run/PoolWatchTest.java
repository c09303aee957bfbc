package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;

class PoolWatchTest {

    private static final TaskSet RUN = run("r", "a");
    private static final TaskSet NAMESAKE = run("r", "b");

    private final PoolWatch<TaskSet> pools = new PoolWatch<>(TaskSet.class, _ -> Set.of("one", "two"));

    private static TaskSet run(String name, String namespace) {
        TaskSet run = new TaskSet();
        run.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace(namespace).build());
        return run;
    }

    private static WorkerPool pool(String name, String namespace) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace(namespace).build());
        return pool;
    }

    /** The index that the informer would keep. */
    private final class Indexed implements IndexedResourceCache<TaskSet> {

        @Override
        public Optional<TaskSet> get(ResourceID id) {
            return Optional.empty();
        }

        @Override
        public Stream<ResourceID> keys() {
            return Stream.of(RUN, NAMESAKE).map(ResourceID::fromResource);
        }

        @Override
        public Stream<TaskSet> list(Predicate<TaskSet> predicate) {
            return Stream.of(RUN, NAMESAKE).filter(predicate);
        }

        @Override
        public Stream<TaskSet> list(String namespace, Predicate<TaskSet> predicate) {
            return list(predicate);
        }

        @Override
        public List<TaskSet> byIndex(String name, String key) {
            return list(run -> pools.keys(run).contains(key)).toList();
        }
    }

    @Test
    void aRunIsConcernedByEachPoolThatItNames() {
        assertThat(pools.poolsOf(RUN))
                .containsExactlyInAnyOrder(new ResourceID("one", "a"), new ResourceID("two", "a"));
        assertThat(pools.keys(RUN)).hasSize(2);
    }

    @Test
    void aPoolConcernsTheRunsOfItsNamespaceThatNameIt() {
        assertThat(pools.runsOf(pool("two", "a"), new Indexed())).containsExactly(ResourceID.fromResource(RUN));
        assertThat(pools.runsOf(pool("two", "b"), new Indexed())).containsExactly(ResourceID.fromResource(NAMESAKE));
        assertThat(pools.runsOf(pool("three", "a"), new Indexed())).isEmpty();
    }
}
