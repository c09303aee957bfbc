package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.Backoff;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.OnChildError;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskError;
import dev.quiver.crds.v1alpha1.TaskIterator;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeBuilder;
import dev.quiver.crds.v1alpha1.TaskNodeStatus;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskUnitBuilder;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.Wire;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.redis.RedisStore;

/** The way of a Task: from apply to finished to deleted, and all that a person may change on it. */
@ExtendWith(ApiServer.class)
class TaskIT {

    private static final String POOL = "trees";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static NoopWorker worker;

    @BeforeAll
    static void work(KubernetesClient client) {
        client.resource(Samples.serving(POOL, 1)).create();
        Pod pod = new Seen(client).awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        worker = new Seen(client).awaitWorker(pod, OPERATOR.redisUri());
        worker.serve("f", "g");
    }

    @AfterAll
    static void rest() {
        worker.close();
    }

    @AfterEach
    void clear(KubernetesClient client) throws InterruptedException {
        worker.pass();
        client.resources(Task.class).delete();
        Seen.until(() -> client.resources(Task.class).list().getItems(), List::isEmpty);
    }

    @Test
    void runsFromApplyToFinishedAndLeavesNoKeyWhenDeleted(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "nightly",
                        Samples.tree(
                                POOL,
                                TaskNode.ofChain("all", "fetch", "pages", "merge"),
                                TaskNode.ofHandler("fetch", "f"),
                                TaskNode.ofForEach("pages", "page"),
                                TaskNode.ofHandler("page", "g"),
                                TaskNode.ofHandler("merge", "f"))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        TaskStatus begun =
                seen.awaitTask("nightly", s -> s.nodes() != null && s.nodes().locked() == 1);
        assertThat(begun.state()).isEqualTo(TaskState.IDLE);
        assertThat(begun.progress()).isEqualTo("0/2");
        assertThat(begun.startTime()).isNotNull();
        assertThat(begun.tree()).extracting(TaskNodeStatus::name).containsExactly("all", "fetch", "pages", "merge");
        worker.pass("[1,2,3]");
        assertThat(worker.claim(4)).isEqualTo(3);
        TaskStatus fanned = seen.awaitTask("nightly", s -> s.nodes().locked() == 3);
        assertThat(fanned.progress()).isEqualTo("1/5");
        assertThat(fanned.percent()).isEqualTo(20);
        assertThat(seen.columns("nightly")).startsWith("nightly", "idle", "1/5", "20", "Unknown");
        assertThat(fanned.tree())
                .extracting(TaskNodeStatus::name)
                .containsExactly("all", "page.5", "page.6", "page.7", "fetch", "pages", "merge");
        worker.pass("0");
        assertThat(worker.claim(4)).isEqualTo(1);
        assertThat(worker.names()).containsExactly("merge");
        worker.pass("{\"pages\":3}");

        var finished = seen.awaitTask("nightly", ConditionType.Finished, TaskReason.RootSucceeded);
        assertThat(finished.getStatus()).isEqualTo("True");
        assertThat(finished.getMessage()).isEqualTo("The root succeeded. 5 of 5 units of progress were done.");
        TaskStatus status = seen.task("nightly").orElseThrow();
        assertThat(Seen.condition(status.conditions(), ConditionType.Succeeded).getStatus())
                .isEqualTo("True");
        assertThat(status.state()).isEqualTo(TaskState.FINISHED);
        assertThat(status.progress()).isEqualTo("5/5");
        assertThat(status.percent()).isEqualTo(100);
        assertThat(status.nodes().finished()).isEqualTo(7);
        assertThat(status.result().toString()).isEqualTo("{\"pages\":3}");
        assertThat(status.resultSize()).isEqualTo(11);
        assertThat(status.completionTime()).isNotNull();
        assertThat(status.workHash()).hasSize(64);
        assertThat(seen.columns("nightly")).startsWith("nightly", "finished", "5/5", "100", "True");
        assertThat(Seen.condition(status.conditions(), ConditionType.HandlerAvailable)
                        .getStatus())
                .isEqualTo("True");
        seen.awaitEvents("nightly", "Accepted", "RootSucceeded");
        assertThat(client.resources(Task.class).withName("nightly").get().getMetadata().getManagedFields().stream()
                        .filter(f -> "status".equals(f.getSubresource()))
                        .map(f -> f.getManager()))
                .containsOnly(ServerSideApply.FIELD_MANAGER);

        String uid = uid(client, "nightly");
        client.resources(Task.class).withName("nightly").delete();
        Seen.gone(() -> client.resources(Task.class).withName("nightly").get());
        assertThat(left(uid)).isEmpty();
    }

    @Test
    void nodeOfATemplateGetsTheResultOfItsSiblingForTheSameElement(KubernetesClient client)
            throws InterruptedException {
        client.resource(Samples.task(
                        "photos",
                        Samples.tree(
                                POOL,
                                TaskNode.ofChain("all", "list", "photos"),
                                TaskNode.ofHandler("list", "f"),
                                TaskNode.ofForEach("photos", "photo"),
                                TaskNode.ofChain("photo", "load", "check", "store"),
                                TaskNode.ofHandler("load", "g"),
                                TaskNode.ofHandler("check", "g"),
                                TaskNode.ofHandler(
                                        "store",
                                        "g",
                                        new TextNode("$(results.list)"),
                                        new TextNode("$(results.load)")))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("[7,8]");
        assertThat(worker.claim(4)).isEqualTo(2);
        worker.pass(claim -> claim.id().endsWith(".8") ? "\"eight\"" : "\"seven\"");
        assertThat(worker.claim(4)).isEqualTo(2);
        worker.pass("0");
        assertThat(worker.claim(4)).isEqualTo(2);
        assertThat(worker.inputs()).containsExactlyInAnyOrder("[[7,8],\"seven\",0]", "[[7,8],\"eight\",0]");
        worker.pass();
        new Seen(client).awaitTask("photos", ConditionType.Finished, TaskReason.RootSucceeded);
    }

    @Test
    void unitOfWorkThatFailsReportsItsErrorWithItsTrace(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "thumb",
                        TaskSpecBuilder.builder()
                                .workerPoolRef(new WorkerPoolRef(POOL))
                                .task(TaskUnitBuilder.builder()
                                        .handler("f")
                                        .maxTrials(2)
                                        .backoff(new Backoff(0, 1, 0, 0))
                                        .build())))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.fail("Traceback:\n  line 1\nValueError: no image");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.fail("Traceback:\n  line 1\nValueError: no image");
        var finished = seen.awaitTask("thumb", ConditionType.Finished, TaskReason.NodeFailed);
        assertThat(finished.getMessage())
                .isEqualTo("Node task failed in trial 2: NonZeroExit: ValueError: no image."
                        + " 0 of 1 units of progress were done.");
        TaskStatus status = seen.task("thumb").orElseThrow();
        assertThat(status.error())
                .isEqualTo(new TaskError(
                        "task",
                        2,
                        "NonZeroExit",
                        "ValueError: no image",
                        "Traceback:\n  line 1\nValueError: no image"));
        assertThat(status.result()).isNull();
        assertThat(status.nodes().failed()).isEqualTo(1);
        assertThat(status.nodes().finished()).isEqualTo(1);
        assertThat(Seen.condition(status.conditions(), ConditionType.Succeeded).getStatus())
                .isEqualTo("False");
        seen.awaitEvents("thumb", "NodeFailed");
    }

    @Test
    void nodeAtTheEndThatFailsIsAReason(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "tidied",
                        Samples.tree(POOL, TaskNode.ofHandler("all", "f"), once("tidy", "g"))
                                .root("all")
                                .cleanup("tidy")))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("\"\"");
        assertThat(worker.claim(4)).isEqualTo(1);
        assertThat(worker.names()).containsExactly("tidy");
        var running = seen.awaitTask("tidied", s -> TaskState.FINISHED == s.state());
        assertThat(Seen.condition(running.conditions(), ConditionType.Finished).getMessage())
                .contains("node tidy of spec.finally is at work");
        worker.fail();
        var finished = seen.awaitTask("tidied", ConditionType.Finished, TaskReason.FinallyFailed);
        assertThat(finished.getMessage()).contains("Node tidy failed: NonZeroExit: no such file");
        TaskStatus status = seen.task("tidied").orElseThrow();
        assertThat(status.result()).isEqualTo(new TextNode(""));
        assertThat(status.resultSize()).isEqualTo(2);
        assertThat(status.error().node()).isEqualTo("tidy");
    }

    @Test
    void nodesThatAreNoTreeEndTheTask(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "round", Samples.tree(POOL, TaskNode.ofChain("a", "b"), TaskNode.ofChain("b", "a"))))
                .create();
        var finished = seen.awaitTask("round", ConditionType.Finished, TaskReason.GraphInvalid);
        assertThat(finished.getStatus()).isEqualTo("True");
        assertThat(finished.getMessage()).contains("node a", "below itself: a > b > a");
        TaskStatus status = seen.task("round").orElseThrow();
        assertThat(Seen.condition(status.conditions(), ConditionType.Succeeded).getStatus())
                .isEqualTo("False");
        assertThat(status.completionTime()).isNotNull();
        assertThat(left(uid(client, "round"))).isEmpty();
        seen.awaitEvents("round", "GraphInvalid");
    }

    @Test
    void awaitsThePoolsThatItNames(KubernetesClient client) {
        Seen seen = new Seen(client);
        TaskNode elsewhere = TaskNodeBuilder.builder(TaskNode.ofHandler("b", "f"))
                .workerPoolRef(new WorkerPoolRef("later"))
                .build();
        client.resource(Samples.task(
                        "patient",
                        Samples.tree(POOL, TaskNode.ofGroup("all", "a", "b"), TaskNode.ofHandler("a", "f"), elsewhere)))
                .create();
        assertThat(seen.awaitTask("patient", ConditionType.Finished, TreeReason.WorkerPoolNotFound)
                        .getMessage())
                .isEqualTo("node b, workerPoolRef.name: there is no WorkerPool later in this namespace.");
        seen.awaitEvents("patient", "WorkerPoolNotFound");
        client.resource(Samples.serving("later", 0)).create();
        TaskStatus begun = seen.awaitTask("patient", s -> s.progress() != null);
        assertThat(begun.nodes().startable()).isEqualTo(2);
        assertThat(seen.awaitTask("patient", ConditionType.Finished, TreeReason.WaitingForWorkers)
                        .getMessage())
                .contains("2 nodes wait and no worker is ready", "WorkerPool later has spec.replicas: 0");
        client.resources(WorkerPool.class).withName("later").delete();
        assertThat(seen.awaitTask("patient", ConditionType.Finished, TreeReason.WorkerPoolNotFound)
                        .getMessage())
                .contains("no WorkerPool later any more");
    }

    @Test
    void nodeWhosePoolHasAnotherKeyspaceEndsTheTask(KubernetesClient client) {
        Seen seen = new Seen(client);
        WorkerPool apart = Samples.pool("apart", 0);
        apart.setSpec(
                WorkerPoolSpecBuilder.builder(apart.getSpec()).keyspace("apart").build());
        client.resource(apart).create();
        TaskNode there = TaskNodeBuilder.builder(TaskNode.ofCommand("b", "true"))
                .workerPoolRef(new WorkerPoolRef("apart"))
                .build();
        client.resource(Samples.task("torn", Samples.tree(POOL, TaskNode.ofChain("all", "b"), there)))
                .create();
        assertThat(seen.awaitTask("torn", ConditionType.Finished, TaskReason.GraphInvalid)
                        .getMessage())
                .isEqualTo(
                        "node b, workerPoolRef.name: WorkerPool apart has keyspace apart, and that of spec.workerPoolRef, "
                                + POOL
                                + ", has the keyspace of the namespace: all work of a Task runs in one keyspace.");
    }

    @Test
    void functionThatNobodyServesIsACondition(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "typo",
                        Samples.tree(
                                POOL,
                                TaskNode.ofGroup("all", "a", "b", "c"),
                                TaskNode.ofHandler("a", "f"),
                                TaskNode.ofHandler("b", "resice"),
                                TaskNode.ofCommand("c", "true"))))
                .create();
        assertThat(seen.awaitTask("typo", ConditionType.HandlerAvailable, HandlerReason.NotServed)
                        .getMessage())
                .isEqualTo("No worker of pool " + POOL + " serves handler \"resice\"; served are: f, g.");
        seen.awaitEvents("typo", "NotServed");
        Seen.until(() -> worker.claim(4), held -> held == 2);
        assertThat(worker.names()).containsExactlyInAnyOrder("a", "c");
        worker.pass("1");
        assertThat(seen.awaitTask("typo", ConditionType.Finished, TreeReason.WaitingForWorkers)
                        .getMessage())
                .contains("resice");
    }

    @Test
    void functionOfAnIteratorsChildThatNobodyServesIsACondition(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "walked", Samples.tree(POOL, TaskNode.ofIterator("all", TaskIterator.ofHandler("f")))))
                .create();
        Seen.until(() -> worker.claim(1), held -> held == 1);
        worker.pass("{\"state\":1,\"tasks\":[{\"chain\":[{\"handler\":\"rwo\",\"name\":\"row\"}]}]}");
        assertThat(seen.awaitTask("walked", ConditionType.HandlerAvailable, HandlerReason.NotServed)
                        .getMessage())
                .isEqualTo("No worker of pool " + POOL + " serves handler \"rwo\"; served are: f, g.");
    }

    @Test
    void thousandNodesAreCreatedAndTheResourceStaysSmall(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        List<TaskNode> nodes = new ArrayList<>();
        String[] names = IntStream.range(0, 999).mapToObj(i -> "leaf-" + i).toArray(String[]::new);
        nodes.add(TaskNodeBuilder.builder(TaskNode.ofGroup("all", names))
                .onChildError(OnChildError.Continue)
                .build());
        Stream.of(names).map(name -> once(name, "f")).forEach(nodes::add);
        client.resource(Samples.task("wide", Samples.tree(POOL, nodes.toArray(TaskNode[]::new))))
                .create();
        TaskStatus begun =
                seen.awaitTask("wide", s -> s.nodes() != null && s.nodes().startable() == 999);
        assertThat(begun.progress()).isEqualTo("0/999");
        assertThat(begun.tree()).hasSize(TaskStatus.MAX_TREE);
        int failed = 0;
        while (worker.claim(4) > 0) {
            if (failed < 40) {
                failed += worker.names().size();
                worker.fail("<\u0007\">&".repeat(100));
            } else {
                worker.pass("\"<&>\\u0000\"");
            }
        }
        TaskStatus status = seen.awaitTask("wide", s -> s.completionTime() != null);
        assertThat(status.progress()).isEqualTo("999/999");
        assertThat(status.nodes().failed()).isEqualTo(failed);
        assertThat(status.result())
                .as("959 texts and 40 nulls are more than 4 KiB")
                .isNull();
        assertThat(status.resultSize()).isGreaterThan(TaskStatus.MAX_RESULT_BYTES);
        assertThat(status.tree()).hasSizeBetween(1, TaskStatus.MAX_TREE - 1);
        assertThat(status.tree().getFirst().name()).isEqualTo("all");
        assertThat(status.tree().get(1).message()).endsWith("&");
        assertThat(sizeWithoutSpec(client, "wide")).isLessThan(8 * 1024);
    }

    @Test
    void resourceStaysSmallHoweverLongErrorAndNamesAre(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        String[] names =
                IntStream.range(0, 40).mapToObj(i -> "n".repeat(60) + "-" + i).toArray(String[]::new);
        List<TaskNode> nodes = new ArrayList<>(List.of(TaskNode.ofGroup("all", names)));
        Stream.of(names).map(name -> once(name, "f")).forEach(nodes::add);
        client.resource(Samples.task("wordy", Samples.tree(POOL, nodes.toArray(TaskNode[]::new))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 4);
        worker.fail("\u0007<&>\n".repeat(200));
        seen.awaitTask("wordy", ConditionType.Finished, TaskReason.NodeFailed);
        assertThat(seen.task("wordy").orElseThrow().error().trace()).isNotEmpty();
        assertThat(sizeWithoutSpec(client, "wordy")).isLessThan(8 * 1024);
    }

    @Test
    void resultOfFourKibibytesIsShownAndALargerOneOnlyMeasured(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.task("fits", Samples.tree(POOL, TaskNode.ofHandler("a", "f"))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("\"" + "x".repeat(4094) + "\"");
        assertThat(seen.awaitTask("fits", s -> s.completionTime() != null)
                        .result()
                        .textValue())
                .hasSize(4094);
        assertThat(sizeWithoutSpec(client, "fits")).isLessThan(8 * 1024);
        client.resource(Samples.task("large", Samples.tree(POOL, TaskNode.ofHandler("a", "f"))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("\"" + "x".repeat(4095) + "\"");
        TaskStatus large = seen.awaitTask("large", s -> s.completionTime() != null);
        assertThat(large.result()).isNull();
        assertThat(large.resultSize()).isEqualTo(4097);
    }

    /** The API server would refuse the first two, and change the third. */
    @Test
    void resultThatNoResourceCanHoldIsOnlyMeasured(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        for (String json : List.of("1e400", "\"\\ud800\"", "[123456789012345678901234567890]", "null", "[1.5,false]")) {
            client.resource(Samples.task("odd", Samples.tree(POOL, TaskNode.ofHandler("a", "f"))))
                    .create();
            Seen.until(() -> worker.claim(4), held -> held == 1);
            worker.pass(json);
            TaskStatus status = seen.awaitTask("odd", s -> s.completionTime() != null);
            assertThat(status.resultSize()).as(json).isEqualTo(json.length());
            if (json.startsWith("[1.")) {
                assertThat(status.result()).hasToString(json);
            } else {
                assertThat(status.result() == null || status.result().isNull())
                        .as(json)
                        .isTrue();
            }
            clear(client);
        }
    }

    @Test
    void aPoolWithoutAPrefixKeepsNothingOfIdoit(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "foreign",
                        Samples.tree(POOL, TaskNode.ofHandler("a", "f")).wire(Wire.Idoit)))
                .create();
        var foreign = seen.awaitTask("foreign", ConditionType.Finished, TaskReason.PrefixNotGranted);
        assertThat(foreign.getStatus()).isEqualTo("False");
        assertThat(foreign.getMessage()).startsWith("spec.workerPoolRef.name: WorkerPool " + POOL);
        Samples.patch(client, Task.class, "foreign", "\"cancel\":true");
        seen.awaitTask("foreign", ConditionType.Finished, TreeReason.Cancelled);
    }

    private static TaskNode once(String name, String handler) {
        return TaskNodeBuilder.builder(TaskNode.ofHandler(name, handler))
                .maxTrials(1)
                .build();
    }

    private static int sizeWithoutSpec(KubernetesClient client, String name) {
        try {
            ObjectNode all = (ObjectNode) new JsonMapper()
                    .readTree(client.raw(
                            "/apis/quiver.dev/v1alpha1/namespaces/" + client.getNamespace() + "/qtasks/" + name));
            all.remove("spec");
            all.withArray("/metadata/managedFields")
                    .removeIf(of -> !of.path("subresource").asText().equals("status"));
            return all.toString().getBytes(StandardCharsets.UTF_8).length;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String uid(KubernetesClient client, String name) {
        return client.resources(Task.class).withName(name).get().getMetadata().getUid();
    }

    /** The fields that Redis has of a tree in its hashes. */
    private static List<String> left(String uid) {
        try (RedisStore redis = OPERATOR.redis().open()) {
            return redis.ask(c -> c.keys("*:task:*")).stream()
                    .filter(key -> redis.ask(c -> c.type(key)).equals("hash"))
                    .flatMap(key -> redis.ask(c -> c.hkeys(key)).stream())
                    .filter(field -> field.startsWith(uid))
                    .toList();
        }
    }
}
