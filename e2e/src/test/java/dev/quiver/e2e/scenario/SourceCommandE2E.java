package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;

/** Tasks that a program names, as a person sees them. */
@Scenario
class SourceCommandE2E {

    /** A run on a shared pool, whose program is a script. */
    private static Run apply(Space space, String name, String script, String task) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: NAME}
                spec:
                  replicas: 2
                  maxTrials: 1
                  workerPoolRef: {name: shared}
                  source:
                    command: [sh, -c]
                    args:
                      - |
                        SCRIPT
                  task: {command: [sh, -c, 'TASK']}
                """.replace("NAME", name)
                .replace("SCRIPT", script.replace("\n", "\n          "))
                .replace("TASK", task));
        return space.run(name);
    }

    @Test
    void testsThatPytestCollectsAreRunEachAsATask(Space space) {
        space.readyPool("shared", 1, 3);
        Run run = apply(space, "collected", """
                mkdir -p /tmp/suite && cd /tmp/suite
                printf 'import pytest\\n@pytest.mark.parametrize("n", range(5))\\ndef test_n(n):\\n    assert n < 5\\n' > test_a.py
                python3 -m pytest -q -p no:cacheprovider --collect-only | grep :: > "$QUIVER_OUTPUT"
                """, "cd /tmp/suite && python3 -m pytest -q -p no:cacheprovider \"$0\"");
        assertThat(run.awaitFinished()).returns(5L, TaskSetStatus::total).returns(5L, TaskSetStatus::succeeded);
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("AllTasksSucceeded");
    }

    @Test
    void aProgramThatFailsEndsTheRunWithItsLastLines(Space space) {
        space.readyPool("shared", 1, 2);
        Run run = apply(space, "broken", "echo a > \"$QUIVER_OUTPUT\"; echo no tests here >&2; exit 4", "true");
        TaskSetStatus status = run.awaitFinished();
        assertThat(status.total()).as("it named nothing").isNull();
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("SourceFailed");
        assertThat(run.message(ConditionType.Succeeded))
                .isEqualTo("spec.source.command: exit code 4, NonZeroExit: no tests here.");
    }

    @Test
    void aProgramThatLosesItsWorkerIsStartedAgainAndNamesEachTaskOnce(Space space) {
        space.readyPool("shared", 1, 2);
        // The first one has no time to end.
        Run run = apply(space, "moved", "echo a > \"$QUIVER_OUTPUT\"; sleep 20; echo b >> \"$QUIVER_OUTPUT\"", "true");
        run.await(
                "the program runs",
                status -> status.conditions().stream()
                        .anyMatch(it -> it.getMessage().equals("The program of spec.source.command runs.")));
        assertThat(run.status().progress()).isEqualTo("0/?");
        space.kubectl().run("delete", "pod", "-l", "quiver.dev/pool=shared", "--grace-period=0", "--force");
        assertThat(run.awaitFinished()).returns(2L, TaskSetStatus::total).returns(2L, TaskSetStatus::succeeded);
    }

    @Test
    void aHundredThousandTasksAreNamedOnAPoolWithRoomForTheirList(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: shared}
                spec:
                  replicas: 1
                  slots: {count: 2, outputSize: 4Mi}
                  template:
                    spec:
                      securityContext: {runAsNonRoot: true}
                      containers:
                        - name: worker
                          image: quiver/demo:0.1.0
                """);
        Run run = apply(space, "many", "seq -f 'spec/models/user_%06g' 100000 > \"$QUIVER_OUTPUT\"", "true");
        run.await("all are there", status -> status.total() != null && status.total() == 100_000);
        space.kubectl().run("patch", "tset", "many", "--type=merge", "-p", "{\"spec\":{\"cancel\":true}}");
        run.awaitFinished();
        assertThat(run.reason(ConditionType.Finished)).isEqualTo("Cancelled");
    }
}
