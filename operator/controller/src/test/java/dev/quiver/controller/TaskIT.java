package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

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
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeStatus;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
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

    private static String uid(KubernetesClient client, String name) {
        return client.resources(Task.class).withName(name).get().getMetadata().getUid();
    }

    /** What Redis has of a tree in its hashes. */
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
