package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;

/** Runs whose tasks a program names. */
@ExtendWith(ApiServer.class)
class SourceProgramIT {

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static TaskSetSpecBuilder spec() {
        return Samples.counted(1).maxTrials(1).source(TaskSource.ofCommand("find", "tests", "-name", "*.py"));
    }

    private static void create(KubernetesClient client, String name, TaskSetSpecBuilder spec) {
        client.resource(Samples.set(name, spec)).create();
    }

    private static NoopWorker worker(KubernetesClient client, String set) {
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("tset-" + set, 1).getFirst();
        return seen.awaitWorker(pod, OPERATOR.redisUri());
    }

    /** A worker that runs the program now. */
    private static NoopWorker running(KubernetesClient client, String set) throws InterruptedException {
        NoopWorker worker = worker(client, set);
        Seen.until(() -> worker.claim(1), held -> held == 1);
        return worker;
    }

    @Test
    void theTasksOfItsListAreRunOnceItHasEnded(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "listed", spec());
        var waits = seen.awaitRun("listed", ConditionType.Finished, TaskSetReason.WaitingForSource);
        assertThat(waits.getStatus()).isEqualTo("False");
        assertThat(seen.run("listed").orElseThrow().progress()).isEqualTo("0/?");
        List<String> names = new ArrayList<>();
        try (NoopWorker worker = running(client, "listed")) {
            seen.awaitRun(
                    "listed",
                    s -> s.conditions().stream()
                            .anyMatch(c -> c.getMessage().equals("The program of spec.source.command runs.")));
            String many = IntStream.range(0, 300).mapToObj(i -> "a" + i + "\n").collect(Collectors.joining());
            assertThat(worker.list(0, "# found\n" + many)).isTrue();
            assertThat(worker.list(1, "{\"name\": \"b\"}\n")).isTrue();
            assertThat(seen.run("listed").orElseThrow().total())
                    .as("not before its end")
                    .isNull();
            worker.pass();
            TaskSetStatus status = seen.awaitRun("listed", s -> s.total() != null);
            assertThat(status.total()).isEqualTo(301);
            while (names.size() < 301) {
                Seen.until(() -> worker.claim(4), held -> held > 0);
                names.addAll(worker.names());
                worker.pass();
            }
        }
        seen.awaitRun("listed", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        assertThat(names).hasSize(301).contains("a0", "a299", "b").doesNotHaveDuplicates();
    }

    @Test
    void itsFailureFailsTheRunWithItsLastLines(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "broken", spec());
        try (NoopWorker worker = running(client, "broken")) {
            worker.fail("find: 'tests': No such file or directory");
        }
        var end = seen.awaitRun("broken", ConditionType.Finished, TaskSetReason.SourceFailed);
        assertThat(end.getStatus()).isEqualTo("True");
        assertThat(end.getMessage())
                .isEqualTo("spec.source.command: exit code 3, NonZeroExit: find: 'tests': No such file or directory.");
    }

    @Test
    void aListThatIsNoneFailsTheRunAndNamesTheLine(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "senseless", spec());
        try (NoopWorker worker = running(client, "senseless")) {
            worker.list(0, "a\n{\"name\":}\n");
            worker.pass();
        }
        assertThat(seen.awaitRun("senseless", ConditionType.Finished, TaskSetReason.SourceInvalid)
                        .getMessage())
                .startsWith("spec.source.command: the list of the program, line 2 ({\"name\":})");
        create(client, "empty", spec());
        try (NoopWorker worker = running(client, "empty")) {
            worker.pass();
        }
        assertThat(seen.awaitRun("empty", ConditionType.Finished, TaskSetReason.SourceInvalid)
                        .getMessage())
                .isEqualTo(
                        "spec.source.command: the list of the program holds no task: every line is blank or begins with"
                                + " #.");
    }

    @Test
    void itIsSuspendedAndCalledOffWithItsRun(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "paused", spec().suspend(true));
        assertThat(seen.awaitRun("paused", ConditionType.Finished, TaskSetReason.Suspended)
                        .getMessage())
                .isEqualTo("The run is suspended: the program of spec.source.command waits.");
        Samples.patch(client, TaskSet.class, "paused", "\"suspend\":false");
        try (NoopWorker worker = running(client, "paused")) {
            Samples.patch(client, TaskSet.class, "paused", "\"cancel\":true");
            seen.awaitRun("paused", ConditionType.Finished, TaskSetReason.Cancelled);
            Seen.until(() -> worker.list(0, "a\n"), taken -> !taken);
        }
    }

    @Test
    void theNextRunOfItsFailedTasksAsksTheProgramAgain(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "suite", spec());
        try (NoopWorker worker = running(client, "suite")) {
            worker.list(0, "a\nb\n");
            worker.pass();
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass();
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.fail();
        }
        seen.awaitRun("suite", ConditionType.Finished, TaskSetReason.TasksFailed);
        create(client, "suite-again", spec().onlyFailedOf("suite"));
        try (NoopWorker worker = running(client, "suite-again")) {
            worker.list(0, "a\nb\n");
            worker.pass();
            Seen.until(() -> worker.claim(1), held -> held == 1);
            assertThat(worker.names()).containsExactly("b");
            worker.pass();
        }
        seen.awaitRun("suite-again", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
    }
}
