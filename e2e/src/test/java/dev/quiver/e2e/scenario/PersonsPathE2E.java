package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskFailure;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Kubectl;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Unrestricted;
import dev.quiver.e2e.quiver.Watching;

/** The path of a person with a first run, from apply to delete. */
@Scenario
class PersonsPathE2E {

    @Test
    void showsProgressFromApplyToDeleteAndLeavesNothing(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver) {
        Kubectl kubectl = space.kubectl();
        space.applyExample("taskset-commands.yaml");
        Run run = space.run("specs");
        try (Watching table = kubectl.watch("get", "tset", "specs", "-w")) {
            kubectl.run("scale", "tset/specs", "--replicas=5");
            kubectl.run("wait", "--for=condition=Finished", "tset/specs", "--timeout=4m");

            assertThat(table.lines().getFirst().split(" +"))
                    .containsExactly(
                            "NAME", "PROGRESS", "%", "RUNNING", "FAILED", "WORKERS", "ETA", "SUCCEEDED", "AGE");
            Awaitility.await()
                    .untilAsserted(() ->
                            assertThat(table.lines().getLast().split(" +")).contains("1000/1000", "100", "True"));
            assertThat(table.lines())
                    .as("progress is shown while the run goes on")
                    .anyMatch(line -> line.matches("specs +[1-9][0-9]*/1000 .*Unknown.*"));
        }
        assertThat(run.status())
                .returns(1000L, TaskSetStatus::succeeded)
                .returns(1000L, TaskSetStatus::trials)
                .returns(5, status -> Integer.valueOf(status.workers().replaceFirst(".*/", "")));
        assertThat(kubectl.run("describe", "tset", "specs"))
                .contains("All 1000 tasks passed.", "Accepted", "AllTasksSucceeded");

        String uid = run.uid();
        assertThat(keysOf(uid, quiver)).isNotEmpty();
        kubectl.run("delete", "tset", "specs", "--timeout=4m");
        assertThat(keysOf(uid, quiver)).isEmpty();
        Awaitility.await().until(() -> space.pods().isEmpty());
    }

    @Test
    void describesFailuresWithExitCodeAndLastLines(Space space) {
        Run run = space.run(Tasks.shell("checks", """
                        echo checking $QUIVER_INDEX
                        [ $QUIVER_INDEX != 3 ] || { echo looking for a widget >&2; echo 'no such widget: 3' >&2; exit 7; }
                        """).count(6).trials(2));
        TaskSetStatus end = run.awaitFinished();

        assertThat(end)
                .returns(5L, TaskSetStatus::succeeded)
                .returns(1L, TaskSetStatus::failed)
                .returns(7L, TaskSetStatus::trials);
        assertThat(end.failures())
                .hasSizeBetween(1, 8)
                .allMatch(failure -> failure.task().equals("3"))
                .allMatch(failure -> failure.exitCode() == 7)
                .allMatch(failure -> failure.reason().equals("NonZeroExit"))
                .allMatch(failure -> failure.message().contains("looking for a widget\nno such widget: 3"))
                .extracting(TaskFailure::trial)
                .contains(2);
        assertThat(run.condition(ConditionType.Succeeded).orElseThrow().getStatus())
                .isEqualTo("False");
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("TasksFailed");
        assertThat(run.message(ConditionType.Finished))
                .contains("1 of 6 tasks failed", "task 3", "NonZeroExit with exit code 7");
        assertThat(space.kubectl().run("describe", "tset", "checks"))
                .contains("Exit Code:  7", "no such widget: 3", "TasksFailed", "1 of 6 tasks failed");
        Awaitility.await()
                .untilAsserted(() -> assertThat(space.events("TaskSet"))
                        .anyMatch(event -> event.startsWith("Accepted: 6 tasks"))
                        .anyMatch(event -> event.startsWith("TasksFailed: 1 of 6 tasks failed"))
                        .as("never one for each task")
                        .hasSizeLessThan(5));
    }

    /** A mark of the deletion stays, so that a late worker is refused; it expires by itself. */
    private static List<String> keysOf(String uid, Installation quiver) {
        return quiver.redis().keysWith(uid).stream()
                .filter(key -> !key.endsWith(":tombstone")
                        || Integer.parseInt(quiver.redis().run("TTL", key)) < 0)
                .toList();
    }
}
