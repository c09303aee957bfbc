package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceAlias;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetSnapshotBuilder;
import dev.quiver.lifecycle.taskset.TaskSetState;

/** Redis says whether a run waits and for which resource first; the status of its pool says the rest. */
class TaskSetBlockageTest {

    private static final String SINCE = "2026-01-01T10:00:00Z";

    private static WorkerPool pool() {
        WorkerPool pool = Samples.pool("p", 1);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .resources(List.of(
                        new PoolResource("online", null, null, null, null, null),
                        new PoolResource("tenant!*", null, null, null, null, null),
                        new PoolResource("db", null, 2, null, null, null)))
                .resourceAliases(List.of(new ResourceAlias("account!*", List.of("tenant!*", "online"))))
                .build());
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .resources(List.of(
                        new PoolResourceStatus(
                                "online", ResourceState.Available, null, null, 0L, null, null, null, null, null),
                        new PoolResourceStatus(
                                "tenant!*", ResourceState.Missing, SINCE, "login", 0L, null, null, null, null, null)))
                .build());
        return pool;
    }

    private static Blockage blockage(TaskSetSnapshot run, String... names) {
        TaskSetView view =
                TaskSetViews.view(spec -> spec.resources(List.of(names)), TaskSetViews.ACCEPTED, Optional.of(run));
        return TaskSetBlockage.of(TaskSetViews.with(view, ObservedPool.shared("p", Optional.of(pool()))));
    }

    private static TaskSetSnapshot waitsFor(String gate) {
        return TaskSetSnapshotBuilder.builder(TaskSetViews.run(5, 0, 0, 0))
                .gate(Optional.of(gate))
                .build();
    }

    @Test
    void namesWhatIsMissingInTheOrderOfTheSpec() {
        Blockage blockage = blockage(waitsFor("tenant!acme"), "online", "tenant!acme", "printer");
        assertThat(blockage.waiting()).isEqualTo(5);
        assertThat(blockage.missing())
                .containsExactly(
                        new Blockage.Missing(
                                "tenant!acme",
                                Optional.of(Instant.parse(SINCE)),
                                Optional.empty(),
                                Optional.of("login"),
                                true),
                        new Blockage.Missing("printer", Optional.empty(), Optional.empty(), Optional.empty(), false));
    }

    @Test
    void aResourceWithPermitsIsNotForRuns() {
        Blockage blockage = blockage(waitsFor("db"), "db", "online");
        assertThat(blockage.missing())
                .containsExactly(new Blockage.Missing(
                        "db", Optional.empty(), Optional.empty(), Optional.empty(), true, Optional.empty(), true));
    }

    /** An alias has put others in its place. */
    @Test
    void namesAlsoWhatTheSpecDoesNotName() {
        assertThat(blockage(waitsFor("tenant!7"), "account!7", "printer").missing())
                .extracting(Blockage.Missing::name)
                .containsExactly("tenant!7", "printer");
    }

    @Test
    void isNoneBeforeTheRunHasItsPlaceAndAfterItsEnd() {
        assertThat(blockage(waitsFor(""), "online")).isEqualTo(Blockage.NONE);
        assertThat(blockage(TaskSetViews.run(5, 0, 0, 0), "online")).isEqualTo(Blockage.NONE);
        TaskSetSnapshot ended = TaskSetSnapshotBuilder.builder(waitsFor("online"))
                .status(TaskSetState.CANCELLED)
                .build();
        assertThat(blockage(ended, "online")).isEqualTo(Blockage.NONE);
    }
}
