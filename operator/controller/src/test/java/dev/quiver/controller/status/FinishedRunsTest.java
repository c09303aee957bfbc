package dev.quiver.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** The ends of runs, each once. */
class FinishedRunsTest {

    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final FinishedRuns runs = new FinishedRuns(metrics, "TaskSet");

    private static List<Condition> finished(String status, String reason) {
        return List.of(new ConditionBuilder()
                .withType("Finished")
                .withStatus(status)
                .withReason(reason)
                .build());
    }

    private double counted(String reason) {
        return metrics.counter("quiver.runs.finished", "kind", "TaskSet", "reason", reason)
                .count();
    }

    @Test
    void aRunCountsWhenItEndsAndNotAgain() {
        List<Condition> runs = finished("False", "Running");
        List<Condition> over = finished("True", "TasksFailed");
        this.runs.note(List.of(), runs);
        assertThat(metrics.getMeters()).isEmpty();
        this.runs.note(runs, over);
        this.runs.note(over, over);
        this.runs.note(over, finished("True", "Cancelled"));
        assertThat(counted("TasksFailed")).isEqualTo(1);
        assertThat(counted("Cancelled")).isZero();
        this.runs.note(List.of(), finished("True", "AllTasksSucceeded"));
        assertThat(counted("AllTasksSucceeded")).as("at its first status").isEqualTo(1);
    }
}
