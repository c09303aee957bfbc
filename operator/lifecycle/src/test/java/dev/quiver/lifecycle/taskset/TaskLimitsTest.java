package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.execution.TrialTimeouts;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;

/** Limits of a trial by the usual time of its task, up to the deadline. */
class TaskLimitsTest {

    private static final TrialTimeouts LIMITS = new TrialTimeouts(Duration.ofSeconds(30), Duration.ofMinutes(5));

    private static Optional<TaskEstimate> takes(long seconds, int slowness) {
        return Optional.of(new TaskEstimate(Duration.ofSeconds(seconds), true, slowness));
    }

    private static TaskSetTask task(int trial, Optional<TaskEstimate> estimate, Optional<Duration> deadline) {
        ExecutionSpec spec = new ExecutionSpec(
                        "nightly",
                        new Execution.Command(List.of("true"), List.of(), Optional.empty()),
                        List.of(),
                        Optional.empty(),
                        new TaskSource.Count(3),
                        deadline)
                .allowing(3)
                .limiting(Optional.of(LIMITS));
        return new TaskSetTask("u", spec, 0, trial, Optional.empty(), estimate);
    }

    @Test
    void aTaskOfASetHasThem() {
        assertThat(task(1, takes(60, 1000), Optional.empty()).timeLimit()).contains(Duration.ofSeconds(120));
        assertThat(task(1, takes(60, 1000), Optional.empty()).grace()).contains(Duration.ofSeconds(60));
        assertThat(task(3, takes(60, 1000), Optional.empty()).timeLimit()).contains(Duration.ofMinutes(5));
        assertThat(task(1, Optional.empty(), Optional.empty()).grace()).contains(Duration.ofSeconds(30));
    }

    @Test
    void theDeadlineIsTheUpperBound() {
        TaskSetTask before = task(1, takes(60, 1000), Optional.of(Duration.ofSeconds(100)));
        assertThat(before.timeLimit()).contains(Duration.ofSeconds(100));
        assertThat(before.grace()).isEmpty();
        TaskSetTask between = task(1, takes(60, 1000), Optional.of(Duration.ofSeconds(150)));
        assertThat(between.timeLimit()).contains(Duration.ofSeconds(120));
        assertThat(between.grace()).contains(Duration.ofSeconds(30));
        TaskSetTask behind = task(1, takes(60, 1000), Optional.of(Duration.ofSeconds(121)));
        assertThat(behind.grace()).as("as any command has").contains(Duration.ofSeconds(5));
    }
}
