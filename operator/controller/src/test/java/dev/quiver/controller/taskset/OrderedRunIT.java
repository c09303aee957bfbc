package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.AnsweringHistory;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Speculation;
import dev.quiver.crds.v1alpha1.TaskOrder;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;

/** Runs that ask the record: for the order of their tasks, and for what an earlier run left undone. */
@ExtendWith(ApiServer.class)
class OrderedRunIT {

    private static final AnsweringHistory HISTORY = AnsweringHistory.listen();

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator(HISTORY.settings());

    @AfterAll
    static void close() {
        HISTORY.close();
    }

    private static void lines(KubernetesClient client, String name, String... lines) {
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withData(Map.of("tasks", String.join("\n", lines)))
                        .build())
                .create();
    }

    private static TaskSetSpecBuilder ofClass(String lines, String runClass) {
        return Samples.counted(1)
                .source(TaskSource.ofConfigMapKey(lines, "tasks"))
                .taskSetClass(runClass)
                .maxTrials(1);
    }

    private static void knows(KubernetesClient client, String runClass, Map<String, Integer> millis) {
        HISTORY.answer("/v1/namespaces/" + client.getNamespace() + "/classes/" + runClass + "/estimates", exchange -> {
            exchange.getResponseHeaders().set("Quiver-Usual-Error", "0.2");
            AnsweringHistory.send(exchange, 200, AnsweringHistory.estimates(millis));
        });
    }

    /** Names of the tasks in the order in which a worker gets them, which passes them. */
    private static List<String> run(KubernetesClient client, Pod pod, String set, int tasks)
            throws InterruptedException {
        Seen seen = new Seen(client);
        List<String> names = new ArrayList<>();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            while (names.size() < tasks) {
                Seen.until(() -> worker.claim(1), held -> held > 0);
                names.addAll(worker.names());
                worker.pass();
            }
            seen.awaitRun(set, ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        }
        return names;
    }

    private static Pod pod(KubernetesClient client, String set) {
        return new Seen(client).awaitPods("tset-" + set, 1).getFirst();
    }

    @Test
    void givesUnknownTasksOutFirstAndThenTheLongest(KubernetesClient client) throws InterruptedException {
        lines(client, "six", "short", "new", "long", "middle", "newer", "longest");
        knows(client, "nightly", Map.of("short", 10, "long", 60_000, "middle", 300, "longest", 90_000));
        client.resource(Samples.set("ordered", ofClass("six", "nightly"))).create();
        assertThat(run(client, pod(client, "ordered"), "ordered", 6))
                .containsExactly("new", "newer", "longest", "long", "middle", "short");
        client.resource(Samples.set("plain", ofClass("six", "nightly").order(TaskOrder.Source)))
                .create();
        assertThat(run(client, pod(client, "plain"), "plain", 6))
                .containsExactly("short", "new", "long", "middle", "newer", "longest");
    }

    @Test
    void theRestIsEstimatedWithItsUsualError(KubernetesClient client) {
        lines(client, "two", "a", "b");
        knows(client, "known", Map.of("a", 60_000, "b", 60_000));
        client.resource(Samples.pool("timed", 1)).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("timed", 1).getFirst();
        try (NoopWorker _ = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            TaskSetStatus status = estimated(client, seen);
            assertThat(status.etaErrorPercent()).isEqualTo(20);
            assertThat(status.eta()).isNotEmpty();
        }
    }

    /** A set that started without estimates never gets them. A busy machine may keep an answer longer than is waited for. */
    private static TaskSetStatus estimated(KubernetesClient client, Seen seen) {
        for (int i = 0; i < 10; i++) {
            String name = "timed-" + i;
            client.resource(Samples.set(
                            name,
                            ofClass("two", "known").workerTemplate(null).workerPoolRef(new WorkerPoolRef("timed"))))
                    .create();
            TaskSetStatus status = seen.awaitRun(
                    name, s -> s.etaErrorPercent() != null || seen.events(name).contains("EstimatesMissing"));
            if (status.etaErrorPercent() != null) {
                return status;
            }
            client.resources(TaskSet.class).withName(name).delete();
        }
        throw new AssertionError("ten sets in a row started without estimates");
    }

    @Test
    void startsWithoutAnAnswerAndSaysSo(KubernetesClient client) throws InterruptedException {
        lines(client, "three", "a", "b", "c");
        HISTORY.answer(
                "/v1/namespaces/" + client.getNamespace() + "/classes/broken/estimates", 200, new byte[] {1, 2, 3});
        client.resource(Samples.set("unanswered", ofClass("three", "broken"))).create();
        assertThat(run(client, pod(client, "unanswered"), "unanswered", 3)).containsExactly("a", "b", "c");
        new Seen(client).awaitEvents("unanswered", "EstimatesMissing");
    }

    @Test
    void aPoolWithAWorkerOfBeforeGoesByTheSource(KubernetesClient client) throws InterruptedException {
        lines(client, "mixed", "short", "long");
        knows(client, "mixed", Map.of("short", 10, "long", 60_000));
        client.resource(Samples.pool("mixed", 1)).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("mixed", 1).getFirst();
        try (NoopWorker _ = seen.awaitWorkerOfBefore(pod, OPERATOR.redisUri())) {
            client.resource(Samples.set(
                            "mixed",
                            ofClass("mixed", "mixed")
                                    .workerTemplate(null)
                                    .workerPoolRef(new WorkerPoolRef("mixed"))
                                    .speculation(new Speculation(Speculation.Mode.WhenIdle))))
                    .create();
            seen.awaitEvents("mixed", "EstimatesMissing");
            seen.awaitEvents("mixed", "SpeculationOff");
        }
        assertThat(run(client, pod, "mixed", 2)).containsExactly("short", "long");
    }

    @Test
    void repeatsARunWhoseResourceIsGoneByItsRecord(KubernetesClient client) throws InterruptedException {
        lines(client, "gone", "a", "b", "c", "d");
        String runs = "/v1/namespaces/" + client.getNamespace() + "/runs";
        HISTORY.answer(runs + "?kind=TaskSet&name=gone&limit=1", 503, new byte[0]);
        client.resource(Samples.set("again", ofClass("gone", "unheard").onlyFailedOf("gone")))
                .create();
        Seen seen = new Seen(client);
        var waits = seen.awaitRun("again", ConditionType.Finished, TaskSetReason.RecordNotRead);
        assertThat(waits.getStatus()).isEqualTo("False");
        assertThat(waits.getMessage()).contains("there is no TaskSet gone", "503");
        assertThat(seen.run("again").orElseThrow().total())
                .as("never all of them")
                .isNull();
        // The same source, and no resource of the run any more.
        client.resource(Samples.set("twin", ofClass("gone", "unheard").suspend(true)))
                .create();
        String hash = seen.awaitRun("twin", s -> s.sourceHash() != null).sourceHash();
        HISTORY.answer(runs + "/u1/unpassed", 200, new byte[] {0b1010});
        HISTORY.answer(
                runs + "?kind=TaskSet&name=gone&limit=1",
                200,
                ("{\"items\": [{\"uid\": \"u1\", \"name\": \"gone\", \"status\": \"failed\", \"tasks\": 4,"
                                + " \"sourceHash\": \"" + hash + "\"}]}")
                        .getBytes(StandardCharsets.UTF_8));
        assertThat(seen.awaitRun("again", s -> s.total() != null).total()).isEqualTo(2);
        assertThat(run(client, pod(client, "again"), "again", 2)).containsExactlyInAnyOrder("b", "d");
        client.resource(Samples.set(
                        "never",
                        ofClass("gone", "unheard")
                                .onlyFailedOf("n" + UUID.randomUUID().toString().substring(0, 8))))
                .create();
        assertThat(seen.awaitRun("never", ConditionType.Finished, TaskSetReason.WaitingForRun)
                        .getMessage())
                .contains("nor on record");
    }
}
