package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** The table that {@code kubectl get} prints: the server computes the table. */
@ExtendWith(ApiServer.class)
class ColumnsIT {
    private final KubernetesClient client;

    ColumnsIT(KubernetesClient client) {
        this.client = client;
    }

    @Test
    void showsHowFarARunIs() throws Exception {
        var set = Specimens.taskSet("specs");
        client.resource(set).create();
        set.setStatus(TaskSetStatusBuilder.builder()
                .total(1000L)
                .running(16L)
                .failed(3L)
                .succeeded(409L)
                .percent(41)
                .progress("412/1000")
                .workers("4/4")
                .eta("3m")
                .conditions(List.of(new ConditionBuilder()
                        .withType(ConditionType.Succeeded.name())
                        .withStatus("Unknown")
                        .withReason(TaskSetReason.Running.name())
                        .withMessage(TaskSetReason.Running.sentence())
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .build()))
                .build());
        client.resource(set).patchStatus();
        var table = table("tasksets");
        assertThat(shownAlways(table))
                .containsExactly("Name", "Progress", "%", "Running", "Failed", "Workers", "ETA", "Succeeded", "Age");
        assertThat(firstRow(table)).startsWith("specs", "412/1000", "41", "16", "3", "4/4", "3m", "Unknown");
    }

    @Test
    void showsHowBusyAPoolIs() throws Exception {
        var pool = Specimens.pool("shared");
        client.resource(pool).create();
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .readyReplicas(3)
                .slots(12)
                .busySlots(11)
                .drainingReplicas(0)
                .desiredReplicas(4)
                .blocked(412L)
                .conditions(List.of(new ConditionBuilder()
                        .withType(ConditionType.Ready.name())
                        .withStatus("False")
                        .withReason(WorkerPoolReason.ScalingUp.name())
                        .withMessage(WorkerPoolReason.ScalingUp.sentence())
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .build()))
                .build());
        client.resource(pool).patchStatus();
        var table = table("workerpools");
        assertThat(shownAlways(table))
                .containsExactly("Name", "Replicas", "Ready", "Busy", "Slots", "Draining", "Blocked", "Reason", "Age");
        assertThat(firstRow(table)).startsWith("shared", "4", "3", "11", "12", "0", "412", "ScalingUp");
    }

    @Test
    void showsWhereATaskIs() throws Exception {
        var task = Specimens.task("nightly");
        client.resource(task).create();
        task.setStatus(TaskStatusBuilder.builder()
                .state(TaskState.IDLE)
                .progress("41/1000")
                .percent(4)
                .nodes(new TaskNodeCounts(900L, 3L, 50L, 4L, 2L, 41L, 1L))
                .conditions(List.of(new ConditionBuilder()
                        .withType(ConditionType.Succeeded.name())
                        .withStatus("Unknown")
                        .withReason(TreeReason.Running.name())
                        .withMessage(TreeReason.Running.sentence())
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .build()))
                .build());
        client.resource(task).patchStatus();
        var table = table("qtasks");
        assertThat(shownAlways(table)).containsExactly("Name", "State", "Progress", "%", "Succeeded", "Age");
        assertThat(firstRow(table)).startsWith("nightly", "idle", "41/1000", "4", "Unknown");
    }

    @Test
    void showsWhereAJobIs() throws Exception {
        var job = Specimens.mapReduceJob("words");
        client.resource(job).create();
        job.setStatus(MapReduceJobStatusBuilder.builder()
                .state(MapReduceJobState.AGGREGATING)
                .chunks(new MapReduceChunkCounts(1000L, 571L, 16L, 3L, 409L, 1L, 67L, 20L))
                .progress("410/1000")
                .percent(41)
                .eta("3m")
                .conditions(List.of(new ConditionBuilder()
                        .withType(ConditionType.Succeeded.name())
                        .withStatus("Unknown")
                        .withReason(TreeReason.Running.name())
                        .withMessage(TreeReason.Running.sentence())
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .build()))
                .build());
        client.resource(job).patchStatus();
        var table = table("mapreducejobs");
        assertThat(shownAlways(table))
                .containsExactly("Name", "State", "Chunks", "%", "Errored", "ETA", "Succeeded", "Age");
        assertThat(firstRow(table)).startsWith("words", "aggregating", "410/1000", "41", "3", "3m", "Unknown");
    }

    private JsonNode table(String plural) throws IOException, ExecutionException, InterruptedException {
        var request = client.getHttpClient()
                .newHttpRequestBuilder()
                .uri(client.getMasterUrl() + "apis/quiver.dev/v1alpha1/namespaces/" + client.getNamespace() + "/"
                        + plural)
                .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
                .build();
        var response = client.getHttpClient().sendAsync(request, String.class).get();
        return new ObjectMapper().readTree(response.body());
    }

    private static List<String> shownAlways(JsonNode table) {
        var names = new ArrayList<String>();
        for (var column : table.get("columnDefinitions")) {
            if (column.path("priority").asInt() == 0) {
                names.add(column.get("name").asText());
            }
        }
        return names;
    }

    private static List<String> firstRow(JsonNode table) {
        var cells = new ArrayList<String>();
        table.at("/rows/0/cells").forEach(cell -> cells.add(cell.asText()));
        return cells;
    }
}
