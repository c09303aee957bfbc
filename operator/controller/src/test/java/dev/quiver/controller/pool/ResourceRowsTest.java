package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.scheduling.Resources;
import dev.quiver.lifecycle.text.PrintableText;

class ResourceRowsTest {

    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
    private static final WorkerPoolStatus BEFORE = WorkerPoolStatusBuilder.builder()
            .blocked(7L)
            .resources(List.of(new PoolResourceStatus(
                    "online", ResourceState.Available, null, null, 0L, null, null, null, null, null)))
            .build();

    private static PoolView view(List<PoolResource> declared, Optional<Resources.Known> known) {
        return view(declared, known, Map.of());
    }

    private static PoolView view(
            List<PoolResource> declared, Optional<Resources.Known> known, Map<String, String> probes) {
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
                .probes(probes)
                .build();
    }

    private static Resources.State state(String name, boolean missing, Optional<String> by, boolean declared) {
        return new Resources.State(
                name, missing, Optional.of(NOW.plusMillis(7)), 3, Optional.empty(), by, declared, Optional.empty());
    }

    @Test
    void saysWhatIsMissingSinceWhenAndByWhom() {
        PoolView view = view(
                List.of(new PoolResource("online", null, null, null, null, null)),
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
                        new PoolResourceStatus(
                                "online",
                                ResourceState.Missing,
                                NOW.toString(),
                                "login",
                                3L,
                                null,
                                null,
                                null,
                                null,
                                null),
                        new PoolResourceStatus(
                                "happy!*",
                                ResourceState.Missing,
                                NOW.toString(),
                                "spec",
                                3L,
                                null,
                                null,
                                null,
                                null,
                                null),
                        new PoolResourceStatus(
                                "printer",
                                ResourceState.Missing,
                                NOW.toString(),
                                "Undeclared",
                                3L,
                                null,
                                null,
                                null,
                                null,
                                null),
                        new PoolResourceStatus(
                                "tenant!*", ResourceState.Available, null, null, 3L, null, null, null, null, null));
    }

    @Test
    void saysWhyAProbeFoundItMissingAlsoAfterARestart() {
        Optional<Resources.Known> known = Optional.of(new Resources.Known(
                3,
                3,
                List.of(
                        state("api", true, Optional.of("probe"), true),
                        state("imap", true, Optional.of("probe"), true),
                        state("db", true, Optional.of("person"), true),
                        state("online", false, Optional.empty(), true),
                        state("mail!7", true, Optional.of("probe"), true),
                        state("mail!8", true, Optional.of("person"), true))));
        PoolView fresh =
                view(List.of(), known, Map.of("api", "answered 503", "online", "old", "mail!*", "login refused"));
        assertThat(ResourceRows.of(fresh))
                .extracting(PoolResourceStatus::message)
                .containsExactly("answered 503", null, null, null, "login refused", null);
        PoolView restarted = PoolViewBuilder.builder(fresh)
                .before(WorkerPoolStatusBuilder.builder()
                        .resources(ResourceRows.of(fresh))
                        .build())
                .probes(Map.of())
                .build();
        assertThat(ResourceRows.of(restarted))
                .extracting(PoolResourceStatus::message)
                .containsExactly("answered 503", null, null, null, "login refused", null);
    }

    @Test
    void saysHowManyPermitsAreHeldAndByWhom() {
        Permits held = new Permits(5, 6, Optional.empty(), List.of("a", "b.3", "c\u0007", "\u0007".repeat(100)));
        Permits rate = new Permits(5, 2, Optional.of(Duration.ofMinutes(1)), List.of());
        PoolView view = view(
                List.of(),
                Optional.of(new Resources.Known(3, 2, List.of(counted("tenant!acme", held), counted("api!x", rate)))));
        assertThat(ResourceRows.of(view))
                .containsExactly(
                        new PoolResourceStatus(
                                "tenant!acme",
                                ResourceState.Available,
                                null,
                                null,
                                3L,
                                5,
                                6L,
                                null,
                                List.of("a", "b.3", "c\\u0007", PrintableText.line("\u0007".repeat(100), 128)),
                                null),
                        new PoolResourceStatus(
                                "api!x", ResourceState.Available, null, null, 3L, 5, 2L, 60, List.of(), null));
    }

    private static Resources.State counted(String name, Permits permits) {
        return new Resources.State(
                name, false, Optional.empty(), 3, Optional.empty(), Optional.empty(), true, Optional.of(permits));
    }

    @Test
    void keepsWhatItSaidWhileRedisIsAway() {
        PoolView view = view(List.of(new PoolResource("online", null, null, null, null, null)), Optional.empty());
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
                        "printer",
                        ResourceState.Missing,
                        NOW.toString(),
                        PoolResourceStatus.UNDECLARED,
                        3L,
                        null,
                        null,
                        null,
                        null,
                        null));
    }
}
