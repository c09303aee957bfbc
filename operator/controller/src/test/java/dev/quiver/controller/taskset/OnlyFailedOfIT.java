package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
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
import dev.quiver.crds.v1alpha1.WorkerPoolRef;

/** A run that takes the tasks of another one that did not pass, and no others. */
@ExtendWith(ApiServer.class)
class OnlyFailedOfIT {

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static TaskSetSpecBuilder once(int tasks) {
        return Samples.counted(tasks).maxTrials(1);
    }

    private static void create(KubernetesClient client, String name, TaskSetSpecBuilder spec) {
        client.resource(Samples.set(name, spec)).create();
    }

    private static NoopWorker worker(KubernetesClient client, String set) {
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("tset-" + set, 1).getFirst();
        return seen.awaitWorker(pod, OPERATOR.redisUri());
    }

    /** Passes all tasks of a run, and returns their names. */
    private static List<String> passAll(KubernetesClient client, String set, int tasks) throws InterruptedException {
        List<String> names = new ArrayList<>();
        try (NoopWorker worker = worker(client, set)) {
            while (names.size() < tasks) {
                Seen.until(() -> worker.claim(8), held -> held > 0);
                names.addAll(worker.names());
                worker.pass();
            }
            new Seen(client).awaitRun(set, ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        }
        return names;
    }

    @Test
    void takesWhatFailedWhatWasHeldAndWhatNeverRan(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "first", once(9));
        create(client, "again", once(9).onlyFailedOf("first"));
        var waits = seen.awaitRun("again", ConditionType.Finished, TaskSetReason.WaitingForRun);
        assertThat(waits.getMessage()).isEqualTo("spec.onlyFailedOf: TaskSet first has not ended.");
        assertThat(waits.getStatus()).isEqualTo("False");
        try (NoopWorker worker = worker(client, "first")) {
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.pass();
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.fail();
            Seen.until(() -> worker.claim(2), held -> held == 2);
            Samples.patch(client, TaskSet.class, "first", "\"cancel\":true");
            seen.awaitRun("first", ConditionType.Finished, TaskSetReason.Cancelled);
        }
        TaskSetStatus again = seen.awaitRun("again", s -> s.total() != null);
        assertThat(again.total())
                .as("two failed, two were held, three never ran")
                .isEqualTo(7);
        assertThat(passAll(client, "again", 7))
                .as("with the names that they have in the source")
                .containsExactlyInAnyOrder("2", "3", "4", "5", "6", "7", "8");
    }

    @Test
    void aRepetitionIsRepeatedAndNothingIsLeftInTheEnd(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "one", once(4));
        try (NoopWorker worker = worker(client, "one")) {
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass();
            Seen.until(() -> worker.claim(3), held -> held == 3);
            worker.fail();
            seen.awaitRun("one", ConditionType.Finished, TaskSetReason.TasksFailed);
        }
        create(client, "two", once(4).onlyFailedOf("one"));
        assertThat(seen.awaitRun("two", s -> s.total() != null).total()).isEqualTo(3);
        try (NoopWorker worker = worker(client, "two")) {
            Seen.until(() -> worker.claim(1), held -> held == 1);
            assertThat(worker.names()).containsExactly("1");
            worker.pass();
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.fail();
            seen.awaitRun("two", ConditionType.Finished, TaskSetReason.TasksFailed);
        }
        create(client, "three", once(4).onlyFailedOf("two"));
        assertThat(seen.awaitRun("three", s -> s.total() != null).total()).isEqualTo(2);
        assertThat(passAll(client, "three", 2)).containsExactlyInAnyOrder("2", "3");
        create(client, "four", once(4).onlyFailedOf("three"));
        var end = seen.awaitRun("four", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        assertThat(end.getMessage()).isEqualTo("No task was left to run.");
        assertThat(seen.run("four").orElseThrow().total()).isZero();
    }

    @Test
    void waitsWhereItCannotKnowAndSaysWhy(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        create(client, "lonely", once(2).onlyFailedOf("nobody"));
        assertThat(seen.awaitRun("lonely", ConditionType.Finished, TaskSetReason.WaitingForRun)
                        .getMessage())
                .contains("nobody");
        create(client, "two-tasks", once(2));
        passAll(client, "two-tasks", 2);
        create(client, "three-tasks", once(3).onlyFailedOf("two-tasks"));
        assertThat(seen.awaitRun("three-tasks", ConditionType.Finished, TaskSetReason.WaitingForRun)
                        .getMessage())
                .contains("two-tasks had another source");
        Samples.patch(client, TaskSet.class, "three-tasks", "\"cancel\":true");
        seen.awaitRun("three-tasks", ConditionType.Finished, TaskSetReason.Cancelled);
        client.resources(TaskSet.class)
                .withName("two-tasks")
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {\"sourceHash\": null}}");
        create(client, "unsure", once(2).onlyFailedOf("two-tasks"));
        assertThat(seen.awaitRun("unsure", ConditionType.Finished, TaskSetReason.WaitingForRun)
                        .getMessage())
                .as("never all tasks by accident")
                .contains("its status has no hash");
        create(client, "nobody", once(2).cancel(true));
        TaskSetStatus all = seen.awaitRun("lonely", s -> s.total() != null);
        assertThat(all.total())
                .as("a run whose source was never read left all of it")
                .isEqualTo(2);
    }

    @Test
    void linesKeepTheirPayloads(KubernetesClient client) throws InterruptedException {
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("lines")
                        .endMetadata()
                        .withData(Map.of("tasks", "a b\n{\"name\": \"second\", \"args\": [\"x\"]}\nc d e\n"))
                        .build())
                .create();
        client.resource(Samples.pool("lined", 1)).create();
        TaskSource lines = TaskSource.ofConfigMapKey("lines", "tasks");
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("lined", 1).getFirst();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            create(
                    client,
                    "lined",
                    once(1).source(lines).workerTemplate(null).workerPoolRef(new WorkerPoolRef("lined")));
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass();
            Seen.until(() -> worker.claim(2), held -> held == 2);
            worker.fail();
            seen.awaitRun("lined", ConditionType.Finished, TaskSetReason.TasksFailed);
            create(
                    client,
                    "lined-again",
                    once(1).source(lines)
                            .workerTemplate(null)
                            .workerPoolRef(new WorkerPoolRef("lined"))
                            .onlyFailedOf("lined"));
            Seen.until(() -> worker.claim(2), held -> held == 2);
            assertThat(worker.names()).containsExactlyInAnyOrder("second", "c d e");
            worker.pass();
            seen.awaitRun("lined-again", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        }
    }
}
