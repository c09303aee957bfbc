package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class SerialisationTest {
    private final KubernetesSerialization json = new KubernetesSerialization();

    @Test
    void wholeWorkerPoolSurvivesTheWayThereAndBack() {
        var pool = new WorkerPool();
        pool.setMetadata(new ObjectMetaBuilder().withName("shared").build());
        pool.setSpec(new WorkerPoolSpec(
                3,
                true,
                new Slots(8, new Quantity("64Ki"), new Quantity("2Mi")),
                Specimens.template(),
                new Handler(List.of("python", "-m", "handlers")),
                new Supervisor(null),
                "team-a",
                60,
                new Rollout(new IntOrString(1), new IntOrString("50%"))));
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .observedGeneration(4L)
                .replicas(3)
                .readyReplicas(2)
                .busySlots(0)
                .selector("quiver.dev/pool=shared")
                .conditions(List.of(new ConditionBuilder()
                        .withType(ConditionType.Ready.name())
                        .withStatus("False")
                        .withReason(WorkerPoolReason.ImagePullFailed.name())
                        .withMessage(WorkerPoolReason.ImagePullFailed.sentence())
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .build()))
                .build());
        var back = json.unmarshal(json.asYaml(pool), WorkerPool.class);
        assertThat(back.getSpec()).isEqualTo(pool.getSpec());
        assertThat(back.getStatus()).isEqualTo(pool.getStatus());
        assertThat(back).isEqualTo(pool);
    }

    @Test
    void wholeTaskSetSurvivesTheWayThereAndBack() {
        var set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder().withName("specs").build());
        set.setSpec(TaskSetSpecBuilder.builder()
                .replicas(4)
                .workerTemplate(WorkerTemplateBuilder.builder()
                        .template(Specimens.template())
                        .build())
                .source(TaskSource.ofItems(List.of(
                        new TaskItem("a", List.of("-x", ""), List.of(new EnvEntry("A", ""))),
                        new TaskItem("b", null, null))))
                .task(new TaskTemplate(
                        List.of("run"),
                        null,
                        List.of("--fast"),
                        List.of(new EnvEntry("B", "$(A)")),
                        null,
                        "/tmp",
                        1,
                        64))
                .maxFailedTasks(7)
                .activeDeadlineSeconds(60L)
                .ttlSecondsAfterFinished(0L)
                .storeLossPolicy(StoreLossPolicy.Resubmit)
                .build());
        set.setStatus(TaskSetStatusBuilder.builder()
                .total(1_000_000L)
                .succeeded(0L)
                .percent(0)
                .progress("0/1000000")
                .failures(List.of(new TaskFailure("a", 2, 3, null, "NonZeroExit", "no such file")))
                .build());
        var back = json.unmarshal(json.asJson(set), TaskSet.class);
        assertThat(back.getSpec()).isEqualTo(set.getSpec());
        assertThat(back.getStatus()).isEqualTo(set.getStatus());
        assertThat(json.asJson(set)).doesNotContain("null", "activeDeadline\"", "poolName");
    }

    @Test
    void inputsOfAnyJsonSurviveTheWayThereAndBack() throws IOException {
        var mapper = new ObjectMapper();
        for (var text : List.of("{}", "[]", "{\"a\":[1,2.5,\"x\"]}", "7", "\"word\"", "false")) {
            var input = TaskInput.ofJson(mapper.readTree(text));
            assertThat(json.asJson(input)).isEqualTo("{\"json\":" + text + "}");
            assertThat(json.unmarshal(json.asYaml(input), TaskInput.class).json())
                    .isEqualTo(input.json());
        }
    }

    @Test
    void whatWasLeftOutHasTheDefaultsOfTheSchema() {
        var pool = json.unmarshal("kind: WorkerPool\napiVersion: quiver.dev/v1alpha1\nspec: {}", WorkerPool.class)
                .getSpec();
        assertThat(pool.replicas()).isEqualTo(1);
        assertThat(pool.suspend()).isFalse();
        assertThat(pool.slots()).isEqualTo(new Slots(4, new Quantity("1Mi"), new Quantity("1Mi")));
        assertThat(pool.drain()).isEqualTo(Duration.ofMinutes(5));
        assertThat(pool.rollout()).isEqualTo(new Rollout(new IntOrString("25%"), new IntOrString(0)));
        assertThat(pool.namedKeyspace()).isEmpty();

        var set = json.unmarshal(
                        "kind: TaskSet\napiVersion: quiver.dev/v1alpha1\nspec: {replicas: 2, source: {count: 3}}",
                        TaskSet.class)
                .getSpec();
        assertThat(set.maxTrials()).isEqualTo(3);
        assertThat(set.maxFailedTasks()).isZero();
        assertThat(set.storeLossPolicy()).isEqualTo(StoreLossPolicy.Fail);
        assertThat(set.cancel()).isFalse();
        assertThat(set.activeDeadline()).isEmpty();
        assertThat(set.ownWorkers()).isEmpty();
        assertThat(set.source().items()).isEmpty();
        assertThat(set.source().matrix()).isEmpty();
    }

    @Test
    void anUnknownPolicyDoesNotKeepAnObjectFromBeingRead() {
        var set = json.unmarshal(
                "kind: TaskSet\napiVersion: quiver.dev/v1alpha1\nspec: {replicas: 2, storeLossPolicy: Later}",
                TaskSet.class);
        assertThat(set.getSpec().storeLossPolicy()).isEqualTo(StoreLossPolicy.Fail);
    }

    @Test
    void ofAStatusOnlyWhatIsKnownIsWritten() {
        assertThat(json.asJson(TaskSetStatusBuilder.builder().running(0L).build()))
                .isEqualTo("{\"running\":0}");
        assertThat(json.asJson(WorkerPoolStatusBuilder.builder().build())).isEqualTo("{}");
    }

    @Test
    void listsInASpecCannotBeChanged() {
        var source = TaskSource.ofMatrix(Map.of("B", List.of("1"), "A", List.of("2", "3")));
        assertThatThrownBy(() -> source.matrix().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> source.items().add(null)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(source.matrix().keySet()).containsExactly("A", "B");
        assertThat(source.size()).hasValue(2);
    }

    @Test
    void sizesOfSlotsAreBytes() {
        var slots = new Slots(2, new Quantity("64Ki"), new Quantity("1048576"));
        assertThat(slots.inputBytes()).isEqualTo(65_536);
        assertThat(slots.outputBytes()).isEqualTo(1_048_576);
    }

    @Test
    void aTaskSetKnowsItsPool() {
        var set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder().withName("specs").build());
        set.setSpec(TaskSetSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("shared"))
                .build());
        assertThat(set.poolName()).isEqualTo("shared");
        set.setSpec(TaskSetSpecBuilder.builder().build());
        assertThat(set.poolName()).isEqualTo("tset-specs");
    }
}
