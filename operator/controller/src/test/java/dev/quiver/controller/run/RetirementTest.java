package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.reconcile.FinalizerGate;
import dev.quiver.controller.status.ActiveResources;
import dev.quiver.controller.store.Followed;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

class RetirementTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");
    private static final String END = "2026-01-01T00:00:00Z";
    private static final Optional<Duration> WRITTEN = Optional.empty();

    private final TaskSet run = new TaskSet();
    private final List<HasMetadata> requested = new ArrayList<>();
    private final List<TaskSet> successors = new ArrayList<>();
    private final RunMemory<TaskSetStatus, TaskSet> memory =
            new RunMemory<>(new Followed<>(), RunMemoryTest.reporter(new ActiveResources()));
    private Optional<Duration> others = Optional.empty();
    private final Retirement<TaskSet> retirement = new Retirement<>(
            "the run",
            _ -> others,
            new FinalizerGate(null, Duration.ofHours(1), Clock.fixed(NOW, ZoneOffset.UTC)),
            requested::add,
            memory,
            successors::add);

    @BeforeEach
    void goesOn() {
        run.setMetadata(new ObjectMetaBuilder()
                .withName("r")
                .withNamespace("a")
                .withUid("uid")
                .withGeneration(1L)
                .withDeletionTimestamp(END)
                .build());
        memory.follow(run, Keyspace.ofNamespace("a"));
        memory.written(run, memory.spec(run));
    }

    private Optional<Long> over(Optional<Duration> turn, Optional<Duration> ttl, String end) {
        return retirement.over(run, () -> turn, ttl, end, NOW).getScheduleDelay();
    }

    private boolean forgotten() {
        return !memory.hasWritten(run, memory.spec(run));
    }

    @Test
    void aRunOfAnotherInstallationIsForgotten() {
        assertThat(retirement.elsewhere(run)).isEmpty();
        assertThat(forgotten()).isFalse();
        others = Optional.of(Duration.ofSeconds(7));
        assertThat(retirement.elsewhere(run)).isEqualTo(others);
        assertThat(forgotten()).isTrue();
    }

    @Test
    void theEndIsReportedWhenTheRunRests() {
        retirement.over(
                run,
                () -> {
                    assertThat(memory.keyspace(run))
                            .as("its share in the budget is free")
                            .isEmpty();
                    return WRITTEN;
                },
                Optional.empty(),
                END,
                NOW);
        assertThat(forgotten()).isFalse();
    }

    @Test
    void aRunWithoutATimeToLiveIsKept() {
        assertThat(over(WRITTEN, Optional.empty(), END)).isEmpty();
        assertThat(over(Optional.of(Duration.ofSeconds(2)), Optional.empty(), END))
                .contains(2000L);
        assertThat(requested).isEmpty();
    }

    @Test
    void aRunIsKeptUntilItsTimeToLiveHasPassed() {
        assertThat(over(WRITTEN, Optional.of(Duration.ofSeconds(61)), END)).contains(1000L);
        assertThat(over(Optional.of(Duration.ofMillis(300)), Optional.of(Duration.ofSeconds(61)), END))
                .contains(300L);
        assertThat(over(WRITTEN, Optional.of(Duration.ZERO), null))
                .as("no end in its status")
                .isEmpty();
        assertThat(requested).isEmpty();
        assertThat(over(WRITTEN, Optional.of(Duration.ofSeconds(60)), END)).isEmpty();
        assertThat(requested).containsExactly(run);
    }

    @Test
    void aDeletedRunGoesOnceItsKeysAreDropped() {
        DeleteControl kept = retirement.deleted(run, () -> false);
        assertThat(kept.isRemoveFinalizer()).isFalse();
        assertThat(forgotten()).isFalse();
        assertThat(successors).isEmpty();
        assertThat(retirement.deleted(run, () -> true).isRemoveFinalizer()).isTrue();
        assertThat(forgotten()).isTrue();
        assertThat(successors).containsExactly(run);
    }

    @Test
    void aDeletedRunOfAnotherInstallationIsNotDropped() {
        others = Optional.of(Duration.ofSeconds(7));
        DeleteControl control = retirement.deleted(run, () -> {
            throw new AssertionError("not ours");
        });
        assertThat(control.isRemoveFinalizer()).isFalse();
        assertThat(control.getScheduleDelay()).contains(7000L);
        assertThat(successors).isEmpty();
    }
}
