package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.task.scheduling.Resources;

class ResourceRowsTest {

    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
    private static final WorkerPoolStatus BEFORE = WorkerPoolStatusBuilder.builder()
            .blocked(7L)
            .resources(List.of(new PoolResourceStatus("online", ResourceState.Available, null, null, 0L)))
            .build();

    private static PoolView view(List<PoolResource> declared, Optional<Resources.Known> known) {
        WorkerPool pool = Samples.pool("p", 1);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .resources(declared)
                .build());
        return PoolViewBuilder.builder()
                .pool(pool)
                .before(BEFORE)
                .hash("h")
                .pods(List.of())
                .store(new StoreState.Up(NOW))
                .prefix(new GrantedPrefixes.Use.None())
                .now(NOW)
                .resources(known)
                .build();
    }

    private static Resources.State state(String name, boolean missing, Optional<String> by, boolean declared) {
        return new Resources.State(name, missing, Optional.of(NOW.plusMillis(7)), 3, Optional.empty(), by, declared);
    }

    @Test
    void saysWhatIsMissingSinceWhenAndByWhom() {
        PoolView view = view(
                List.of(new PoolResource("online", null)),
                Optional.of(new Resources.Known(
                        9,
                        4,
                        List.of(
                                state("online", true, Optional.of("login"), true),
                                state("happy!*", true, Optional.empty(), true),
                                state("printer", true, Optional.empty(), false),
                                state("tenant!*", false, Optional.empty(), true)))));
        assertThat(ResourceRows.blocked(view)).isEqualTo(9);
        assertThat(ResourceRows.of(view))
                .containsExactly(
                        new PoolResourceStatus("online", ResourceState.Missing, NOW.toString(), "login", 3L),
                        new PoolResourceStatus("happy!*", ResourceState.Missing, NOW.toString(), "spec", 3L),
                        new PoolResourceStatus("printer", ResourceState.Missing, NOW.toString(), "Undeclared", 3L),
                        new PoolResourceStatus("tenant!*", ResourceState.Available, null, null, 3L));
    }

    @Test
    void keepsWhatItSaidWhileRedisIsAway() {
        PoolView view = view(List.of(new PoolResource("online", null)), Optional.empty());
        assertThat(ResourceRows.blocked(view)).isEqualTo(7);
        assertThat(ResourceRows.of(view)).isEqualTo(BEFORE.resources());
    }

    @Test
    void saysNothingOfAPoolThatDeclaresNoneWhileNoneOfItsTasksNamesOne() {
        PoolView view = view(List.of(), Optional.of(new Resources.Known(0, 0, List.of())));
        assertThat(ResourceRows.blocked(view)).isNull();
        assertThat(ResourceRows.of(view)).isEmpty();
    }

    /** There its Tasks wait for ever, and somebody has to see it. */
    @Test
    void countsTasksThatNameWhatThePoolDoesNotDeclare() {
        PoolView view = view(
                List.of(),
                Optional.of(new Resources.Known(3, 0, List.of(state("printer", true, Optional.empty(), false)))));
        assertThat(ResourceRows.blocked(view)).isEqualTo(3);
        assertThat(ResourceRows.of(view))
                .containsExactly(new PoolResourceStatus(
                        "printer", ResourceState.Missing, NOW.toString(), PoolResourceStatus.UNDECLARED, 3L));
    }
}
