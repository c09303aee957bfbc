package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.status.ActiveResources;
import dev.quiver.controller.status.StateGauge;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.status.WriteBudget;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Followed;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;

class RunMemoryTest {

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("a");
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final TaskSet run = new TaskSet();
    private final Followed<DirtyMark> followed = new Followed<>();
    private final ActiveResources active = new ActiveResources();
    private final RunMemory<TaskSetStatus, TaskSet> memory = new RunMemory<>(followed, reporter(active));

    /** Writes nothing. */
    static StatusReporter<TaskSetStatus, TaskSet> reporter(ActiveResources active) {
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        return new StatusReporter<>(
                new StatusReporter.Shared(null, new WriteBudget(1), active, null, metrics, Clock.systemUTC()),
                new StatusReporter.Kind<>(
                        TaskSet::new,
                        new StateGauge(metrics, "runs", "Runs", "state", RunState.labels()),
                        TaskSetStatus::conditions,
                        (_, _) -> Change.NONE,
                        (_, _) -> List.of()));
    }

    @BeforeEach
    void ofGeneration() {
        ofGeneration(1);
    }

    private void ofGeneration(long generation) {
        run.setMetadata(new ObjectMetaBuilder()
                .withName("r")
                .withNamespace("a")
                .withUid("uid")
                .withGeneration(generation)
                .build());
    }

    private boolean redisHasTheSpec() {
        return memory.hasWritten(run, memory.spec(run));
    }

    private static RunProgress after(long seconds) {
        return new RunProgress(
                Optional.of(START), START.plusSeconds(seconds), 1000, 10 * seconds, 1, 10 * seconds, Duration.ZERO);
    }

    @Test
    void redisHasASpecUntilTheNextGeneration() {
        assertThat(redisHasTheSpec()).isFalse();
        memory.written(run, memory.spec(run));
        assertThat(redisHasTheSpec()).isTrue();
        ofGeneration(2);
        assertThat(redisHasTheSpec()).isFalse();
    }

    @Test
    void redisHasASpecUntilItComesBack() {
        RunMemory.Spec seen = memory.spec(run);
        memory.storeReturned();
        memory.written(run, seen);
        assertThat(redisHasTheSpec()).as("written before the return").isFalse();
        memory.written(run, memory.spec(run));
        assertThat(redisHasTheSpec()).isTrue();
    }

    @Test
    void aRunThatGoesOnIsFollowedAndSharesTheBudget() {
        memory.follow(run, KEYSPACE);
        assertThat(memory.keyspace(run)).contains(KEYSPACE);
        assertThat(active.count()).isOne();
        memory.rest(run);
        assertThat(memory.keyspace(run)).isEmpty();
        assertThat(active.count()).isZero();
    }

    @Test
    void thePaceIsThatOfTheCountsSoFar() {
        Pace first = memory.pace(run, Optional.of(after(0)));
        Pace second = memory.pace(run, Optional.of(after(10)));
        assertThat(second).isEqualTo(first.seen(after(10))).isNotEqualTo(first);
        assertThat(memory.pace(run, Optional.empty()))
                .as("Redis does not answer")
                .isEqualTo(second);
    }

    @Test
    void theEndKeepsTheSpecAndForgetsThePace() {
        memory.written(run, memory.spec(run));
        memory.pace(run, Optional.of(after(0)));
        memory.rest(run);
        assertThat(redisHasTheSpec()).isTrue();
        assertThat(memory.pace(run, Optional.empty())).isEqualTo(Pace.UNSEEN);
    }

    @Test
    void nothingIsKeptOfARunThatIsGone() {
        memory.follow(run, KEYSPACE);
        memory.written(run, memory.spec(run));
        memory.pace(run, Optional.of(after(0)));
        memory.forget(run);
        assertThat(redisHasTheSpec()).isFalse();
        assertThat(memory.keyspace(run)).isEmpty();
        assertThat(active.count()).isZero();
        assertThat(memory.pace(run, Optional.empty())).isEqualTo(Pace.UNSEEN);
    }

    @Test
    void looksThatNothingAskedForAreRarerAmongManyRuns() {
        Duration deadline = Duration.ofSeconds(300);
        assertThat(memory.until(RunPace.NOTHING_DUE)).isEqualTo(RunPace.SAFETY);
        assertThat(memory.until(deadline)).isEqualTo(RunPace.SAFETY);
        for (int i = 0; i < 10_000; i++) {
            TaskSet other = new TaskSet();
            other.setMetadata(new ObjectMetaBuilder()
                    .withName("r" + i)
                    .withNamespace("a")
                    .withUid("uid-" + i)
                    .build());
            memory.follow(other, KEYSPACE);
        }
        assertThat(memory.until(RunPace.NOTHING_DUE)).isBetween(Duration.ofSeconds(6_667), Duration.ofSeconds(13_333));
        assertThat(memory.until(deadline)).as("a deadline is met").isEqualTo(deadline);
    }
}
