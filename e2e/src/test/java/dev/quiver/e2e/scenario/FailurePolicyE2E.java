package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.Backoff;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.FailurePolicy;
import dev.quiver.crds.v1alpha1.FailureRule;
import dev.quiver.crds.v1alpha1.FailureRule.ExitCodes;
import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** The meaning of failures for a run, and how many tasks run at once, as a person sees it. */
@Scenario
class FailurePolicyE2E {

    private static FailureRule on(FailureRule.Action action, Integer... codes) {
        return new FailureRule(action, new ExitCodes(ExitCodes.Operator.In, List.of(codes)), null);
    }

    private static TaskItem item(String name, boolean muted) {
        return new TaskItem(name, List.of(), List.of(), null, muted);
    }

    @Test
    void pendingAndMutedTasksEndARunWell(Space space, Installation quiver) {
        Run run = space.run(Tasks.shell("skips", "case $QUIVER_TASK in good) ;; skipped) exit 5 ;; *) exit 1 ;; esac")
                .trials(3)
                .with(spec -> spec.source(TaskSource.ofItems(
                                List.of(item("good", false), item("skipped", false), item("flaky", true))))
                        .failurePolicy(new FailurePolicy(false, List.of(on(FailureRule.Action.Pending, 5))))));
        assertThat(run.awaitFinished())
                .returns(3L, TaskSetStatus::succeeded)
                .returns(2L, TaskSetStatus::pending)
                .returns(3L, TaskSetStatus::trials)
                .returns(0L, TaskSetStatus::failed);
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("AllTasksSucceeded");
        assertThat(run.message(ConditionType.Succeeded)).isEqualTo("All 3 tasks passed, 2 of them as pending.");
        List<String> table = space.kubectl()
                .run("get", "tset", "skips", "-o", "wide")
                .lines()
                .toList();
        assertThat(column(table, "PENDING")).isEqualTo("2");
        try (Record record = Record.of(space, quiver)) {
            assertThat(record.ended("skips").path("pendingCount").asLong()).isEqualTo(2);
            assertThat(record.ended("skips").path("succeededCount").asLong()).isEqualTo(1);
        }
    }

    /** The part of the first row that begins below this title; no title of the table has a blank within. */
    private static String column(List<String> table, String title) {
        int at = table.get(0).indexOf(title);
        return table.get(1).substring(at).split(" ", 2)[0];
    }

    @Test
    void aRuleEndsTheRunAndSaysWhichAndWhere(Space space) {
        Pool pool = space.readyPool("shared", 1, 2);
        Run run = space.run(Tasks.shell(
                        // Task 3 ends the run once those before it have passed; task 4 runs meanwhile.
                        "broken",
                        "[ $QUIVER_INDEX -ge 3 ] || exit 0; [ $QUIVER_INDEX != 3 ] || { sleep 15; exit 42; }; sleep 300")
                .count(8)
                .trials(3)
                .on(pool, 1)
                .with(spec -> spec.failurePolicy(new FailurePolicy(
                        false,
                        List.of(on(FailureRule.Action.Pending, 5), on(FailureRule.Action.FailTaskSet, 41, 42))))));
        assertThat(run.awaitFinished()).returns(3L, TaskSetStatus::succeeded).returns(1L, TaskSetStatus::failed);
        assertThat(run.reason(ConditionType.Finished)).isEqualTo("FailurePolicy");
        String words = "Rule 2 of spec.failurePolicy.rules ended the run at task 3, exit code 42."
                + " 4 of 8 tasks were decided: 3 passed, 1 failed.";
        assertThat(run.message(ConditionType.Succeeded)).isEqualTo(words);
        space.awaitEvent("TaskSet", "FailurePolicy: ");
        assertThat(space.kubectl().run("describe", "tset", "broken")).contains(words);
        pool.await("what ran is stopped", status -> status.busySlots() == 0);
    }

    @Test
    void failFastEndsTheRunWithItsFirstFailedTask(Space space) {
        Run run = space.run(Tasks.shell("fast", "[ $QUIVER_INDEX != 1 ] || exit 1; sleep 2")
                .count(20)
                .trials(2)
                .with(spec -> spec.backoff(new Backoff(1, 1, 1, 0)).failurePolicy(new FailurePolicy(true, null))));
        assertThat(run.awaitFinished()).returns(1L, TaskSetStatus::failed);
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("MaxFailedTasksExceeded");
        assertThat(run.message(ConditionType.Succeeded))
                .startsWith("1 of 20 tasks failed. First: task 1, NonZeroExit with exit code 1."
                        + " spec.failurePolicy.failFast is true.");
    }

    @Test
    void noMoreTasksRunAtOnceThanTheRunAllows(Space space) {
        Run run = space.run(
                Tasks.shell("narrow", Gate.WAIT).count(12).workers(2, 4).with(spec -> spec.maxParallelTasks(3)));
        run.awaitRunning(3);
        run.await("rests at its bound", status -> status.running() == 3 && status.queued() == 9);
        run.patch("\"maxParallelTasks\":6");
        run.awaitRunning(6);
        run.patch("\"maxParallelTasks\":2");
        assertThat(IntStream.range(0, 3).mapToObj(_ -> run.status().running()))
                .as("a lowered bound stops nothing")
                .containsOnly(6L);
        assertThat(new Gate(space).letEnd(run))
                .returns(12L, TaskSetStatus::succeeded)
                .returns(12L, TaskSetStatus::trials);
    }
}
