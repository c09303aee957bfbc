package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/**
 * A spec that cannot be run is refused at apply, or said in a condition with its field and value, and mended without a
 * fuss.
 */
@Scenario
class BadSpecsE2E {

    private static final String TASK_SET = "apiVersion: quiver.dev/v1alpha1\nkind: TaskSet\nmetadata: {name: bad}\n";

    @Test
    void refusesAtApplyWithTheField(Space space) {
        assertRefused(space, TASK_SET + """
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {count: 0}
                  task: {command: ["true"]}
                """, "spec.source.count", "greater than or equal to 1");
        assertRefused(
                space,
                TASK_SET + """
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {count: 1, configMapKeyRef: {name: a, key: b}}
                  task: {command: ["true"]}
                """,
                "spec.source",
                "must have exactly one of items, count, matrix, configMapKeyRef and command");
        assertRefused(space, TASK_SET + """
                spec:
                  replicas: 1
                  source: {count: 1}
                  task: {command: ["true"]}
                """, "must have exactly one of workerTemplate and workerPoolRef");
        assertRefused(space, TASK_SET + """
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {count: 1}
                  task: {command: ["true"]}
                  priority: high
                """, "unknown field \"spec.priority\"");
        Run run = space.run(Tasks.shell("fixed", "true"));
        assertThatThrownBy(() -> run.patch("\"maxTrials\":9"))
                .hasMessageContaining("spec.maxTrials")
                .hasMessageContaining("cannot be changed");
    }

    @Test
    void waitsForAConfigMapThatIsNotThereAndSaysSo(Space space) {
        Run run = space.run(Tasks.shell("listed", "echo $0")
                .with(spec -> spec.source(TaskSource.ofConfigMapKey("absent", "lines"))));
        run.awaitReason(ConditionType.Finished, "SourceNotFound");
        assertThat(run.message(ConditionType.Finished))
                .contains("spec.source.configMapKeyRef.name", "no ConfigMap absent");

        space.kubectl().run("create", "configmap", "absent", "--from-literal=other=x");
        run.await(
                "says the key",
                status -> run.message(ConditionType.Finished)
                        .contains("spec.source.configMapKeyRef.key: ConfigMap absent has no key lines"));
        space.kubectl().run("patch", "configmap", "absent", "--patch", "{\"data\":{\"lines\":\"a\\nb\\n\"}}");
        assertThat(run.awaitFinished()).returns(2L, TaskSetStatus::succeeded);
        space.awaitEvent("TaskSet", "SourceNotFound: ");
    }

    @Test
    void endsARunWhoseSourceHoldsNoTask(Space space) {
        space.kubectl().run("create", "configmap", "broken", "--from-literal=lines=fine\n{\"name\": 7");
        Run run = space.run(
                Tasks.shell("listed", "true").with(spec -> spec.source(TaskSource.ofConfigMapKey("broken", "lines"))));
        run.awaitFinished();
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("SourceInvalid");
        assertThat(run.message(ConditionType.Succeeded))
                .contains("spec.source.configMapKeyRef", "line 2", "{\"name\": 7");
    }

    @Test
    void waitsForAPoolThatIsNotThereAndSaysSo(Space space) {
        Run run = space.run(Tasks.shell("orphan", "true").on(space.pool("later"), 1));
        run.awaitReason(ConditionType.Finished, "WorkerPoolNotFound");
        assertThat(run.message(ConditionType.Finished)).contains("spec.workerPoolRef", "later");
        space.readyPool("later", 1, 1);
        assertThat(run.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
    }

    @Test
    void neverAdoptsAPoolOfTheNameOfItsOwn(Space space) {
        space.readyPool("tset-mine", 1, 1);
        Run run = space.run(Tasks.shell("mine", "true"));
        run.awaitReason(ConditionType.Finished, "WorkerPoolNameTaken");
        assertThat(run.message(ConditionType.Finished)).contains("tset-mine");
        assertThat(space.pool("tset-mine").pods()).hasSize(1);
    }

    private static void assertRefused(Space space, String yaml, String... words) {
        assertThatThrownBy(() -> space.kubectl().apply(yaml))
                .satisfies(refusal -> assertThat(refusal.getMessage()).contains(words));
    }
}
