package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** Where tasks come from. */
@ExtendWith(ApiServer.class)
class SourceIT {

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    @Test
    void aConfigMapThatIsMissingIsAwaited(KubernetesClient client) {
        Seen seen = new Seen(client);
        run(client, "awaits", TaskSource.ofConfigMapKey("tasks", "list"));
        assertThat(seen.awaitRun("awaits", ConditionType.Finished, TaskSetReason.SourceNotFound)
                        .getMessage())
                .contains("spec.source.configMapKeyRef.name")
                .contains("tasks");
        configMap(client, "tasks", Map.of("other", "a"));
        Seen.until(
                () -> Seen.condition(seen.run("awaits").orElseThrow().conditions(), ConditionType.Finished)
                        .getMessage(),
                m -> m.contains("spec.source.configMapKeyRef.key") && m.contains("[other]"));
        client.configMaps()
                .withName("tasks")
                .edit(m -> new ConfigMapBuilder(m)
                        .addToData("list", "one\n\n# a comment\ntwo\n{\"name\":\"three\",\"args\":[\"x\"]}\n")
                        .build());
        var status = seen.awaitRun("awaits", s -> s.total() != null);
        assertThat(status.total()).isEqualTo(3);
        assertThat(status.sourceHash()).hasSize(64);
    }

    @Test
    void aSetStandsInItsPoolByItsPriorityWhichMayChange(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.set(
                        "placed", Samples.counted(1).replicas(0).relPriority(4).tags(List.of("view"))))
                .create();
        seen.awaitRun("placed", s -> s.total() != null);
        assertThat(priority(client, "placed")).isEqualTo("4");
        Samples.patch(client, TaskSet.class, "placed", "\"relPriority\":-4,\"tags\":null");
        seen.awaitRun("placed", s -> s.observedGeneration() == 2);
        assertThat(priority(client, "placed")).isEqualTo("-4");
    }

    private static String priority(KubernetesClient client, String name) {
        String uid = client.resources(TaskSet.class)
                .withName(name)
                .get()
                .getMetadata()
                .getUid();
        try (RedisStore store = OPERATOR.redis().open()) {
            return store.ask(redis ->
                    redis.hget(Keyspace.ofNamespace(client.getNamespace()).prefix() + "taskset:" + uid, "priority"));
        }
    }

    @Test
    void whatBecomesOfTheConfigMapAfterAcceptanceDoesNotMatter(KubernetesClient client) {
        Seen seen = new Seen(client);
        configMap(client, "fleeting", Map.of("list", "one\ntwo\nthree\n"));
        run(client, "settled", TaskSource.ofConfigMapKey("fleeting", "list"));
        String hash = seen.awaitRun("settled", s -> s.total() != null).sourceHash();
        client.configMaps()
                .withName("fleeting")
                .edit(m -> new ConfigMapBuilder(m).addToData("list", "{\n").build());
        Samples.patch(client, TaskSet.class, "settled", "\"suspend\":true");
        seen.awaitRun("settled", ConditionType.Suspended, TaskSetReason.Suspended);
        client.configMaps().withName("fleeting").delete();
        Samples.patch(client, TaskSet.class, "settled", "\"suspend\":false");
        seen.awaitRun("settled", ConditionType.Suspended, TaskSetReason.NotSuspended);
        var status = seen.awaitRun("settled", s -> s.observedGeneration() == 3 && s.queued() == 3);
        assertThat(status.total()).isEqualTo(3);
        assertThat(status.sourceHash()).isEqualTo(hash);
        assertThat(Seen.condition(status.conditions(), ConditionType.Finished).getStatus())
                .isEqualTo("False");
    }

    @Test
    void aLineWithNullEndsTheRunWithItsNumber(KubernetesClient client) {
        configMap(client, "nulls", Map.of("list", "one\n{\"name\":\"two\",\"args\":[null]}\n"));
        run(client, "nulls", TaskSource.ofConfigMapKey("nulls", "list"));
        assertThat(new Seen(client)
                        .awaitRun("nulls", ConditionType.Finished, TaskSetReason.SourceInvalid)
                        .getMessage())
                .contains("line 2", "args[0] is null");
    }

    @Test
    void twoItemsOfOneNameEndTheRunWithTheName(KubernetesClient client) {
        TaskItem item = new TaskItem("same", null, null);
        run(client, "twins", TaskSource.ofItems(List.of(item, new TaskItem("other", null, null), item)));
        assertThat(new Seen(client)
                        .awaitRun("twins", ConditionType.Finished, TaskSetReason.SourceInvalid)
                        .getMessage())
                .contains("spec.source.items[2].name", "items[0]", "\"same\"");
    }

    @Test
    void aLineThatIsNoTaskEndsTheRunWithItsNumber(KubernetesClient client) {
        configMap(client, "broken", Map.of("list", "one\n{\"nam\":\"two\"}\n"));
        run(client, "broken", TaskSource.ofConfigMapKey("broken", "list"));
        var finished = new Seen(client).awaitRun("broken", ConditionType.Finished, TaskSetReason.SourceInvalid);
        assertThat(finished.getStatus()).isEqualTo("True");
        assertThat(finished.getMessage()).contains("line 2").contains("nam");
    }

    @Test
    void aConfigMapWithoutATaskIsRefused(KubernetesClient client) {
        configMap(client, "blank", Map.of("list", "\n# nothing\n"));
        run(client, "blank", TaskSource.ofConfigMapKey("blank", "list"));
        assertThat(new Seen(client)
                        .awaitRun("blank", ConditionType.Finished, TaskSetReason.SourceInvalid)
                        .getMessage())
                .contains("holds no task");
    }

    @Test
    void manyLinesAreAllAccepted(KubernetesClient client) {
        String lines = IntStream.range(0, 5000).mapToObj(i -> "case-" + i).collect(Collectors.joining("\n"));
        configMap(client, "many", Map.of("list", lines));
        run(client, "many", TaskSource.ofConfigMapKey("many", "list"));
        assertThat(new Seen(client)
                        .awaitRun("many", s -> s.total() != null && s.total() == 5000)
                        .queued())
                .isEqualTo(5000);
    }

    @Test
    void itemsAndMatricesAreAccepted(KubernetesClient client) {
        Seen seen = new Seen(client);
        run(client, "items", TaskSource.ofItems(List.of(new TaskItem("a", null, null), new TaskItem("b", null, null))));
        run(client, "matrix", TaskSource.ofMatrix(Map.of("X", List.of("1", "2", "3"), "Y", List.of("a", "b"))));
        assertThat(seen.awaitRun("items", s -> s.total() != null).total()).isEqualTo(2);
        assertThat(seen.awaitRun("matrix", s -> s.total() != null).total()).isEqualTo(6);
    }

    private static void run(KubernetesClient client, String name, TaskSource source) {
        client.resource(Samples.set(name, Samples.counted(1).replicas(0).source(source)))
                .create();
    }

    private static void configMap(KubernetesClient client, String name, Map<String, String> data) {
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withData(data)
                        .build())
                .create();
    }
}
