package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.apiserver.Definitions;
import dev.quiver.crds.apiserver.ServerProcess;

/**
 * Objects that were accepted under an older, laxer definition, on a server of its own. The operator can write their
 * status, people can scale, suspend, cancel and delete them; only what is wrong cannot be written anew.
 */
class RatchetingIT {
    private static final Set<String> STRICTNESS = Set.of(
            "x-kubernetes-validations",
            "maxLength",
            "minLength",
            "pattern",
            "maximum",
            "minimum",
            "maxItems",
            "minItems",
            "maxProperties",
            "minProperties",
            "enum");

    private static final String OLD_POOL = "a-pool-of-a-name-that-is-longer-than-it-may-be.today";
    private static final String OLD_SET = "a-set.of-a-name-that-is-longer-than-it-may-be-today";

    private static final String OLD_TASK = "a-task.of-a-name-with-a-dot";

    private static ServerProcess server;
    private static KubernetesClient client;

    @BeforeAll
    static void startWithTheLaxDefinitionThenInstallOurs() {
        server = ServerProcess.start();
        client = new KubernetesClientBuilder().withConfig(server.access()).build();
        Awaitility.await("the namespace default")
                .atMost(Duration.ofMinutes(2))
                .until(() -> client.namespaces().withName("default").get() != null);
        Definitions.install(client, RatchetingIT::lax);
        create("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: %s}
                spec:
                  replicas: 1
                  keyspace: Team_A
                  drainSeconds: 7200
                  slots: {count: 100, inputSize: 1Gi, outputSize: lots}
                  rollout: {maxUnavailable: 0, maxSurge: 0}
                  template:
                    metadata: {labels: {quiver.dev/pool: mine}}
                    spec:
                      hostPID: true
                      restartPolicy: Never
                      containers:
                        - {name: main, image: a, env: [{name: QUIVER_IN, value: b}]}
                      volumes:
                        - {name: quiver-in, secret: {secretName: quiver-redis}}
                """.formatted(OLD_POOL));
        create("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: %s}
                spec:
                  replicas: 1
                  maxTrials: 1000
                  storeLossPolicy: Retry
                  workerPoolRef: {name: Shared}
                  workerTemplate: {template: {spec: {containers: []}}}
                  source: {count: 5000000, items: []}
                  task: {command: [""], workingDir: here, env: [{name: "1", value: b}]}
                """.formatted(OLD_SET));
        create("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: Shared}
                  wire: Telex
                  storeLossPolicy: Retry
                  root: nobody
                  finally: nobody
                  notBefore: "2026-01-01T00:00:00Z"
                  postponeSeconds: -1
                  schedule: {cron: sometimes, timeZone: Local}
                  task: {command: [""], workingDir: here, maxTrials: 1000}
                  nodes:
                    - {name: Not_A_Label, command: [""], chain: [], maxTrials: 0, foreignPool: a, workerPoolRef: {name: b}}
                    - {name: b, iterator: {window: 0}, env: [{name: QUIVER_A}]}
                """.formatted(OLD_TASK));
        Definitions.install(client);
        Awaitility.await("the strict definitions are in force")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> refused(Specimens.pool(OLD_POOL + "-2"))
                        && refused(Specimens.taskSet(OLD_SET + "-2"))
                        && refused(Specimens.task(OLD_TASK + "-2")));
    }

    @AfterAll
    static void stop() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void writesTheStatusOfAnOldPool() {
        var status = new WorkerPool();
        status.setMetadata(Specimens.pool(OLD_POOL).getMetadata());
        status.setStatus(WorkerPoolStatusBuilder.builder()
                .readyReplicas(1)
                .conditions(List.of(condition(ConditionType.Ready, WorkerPoolReason.SpecInvalid)))
                .build());
        var written = client.resource(status)
                .inNamespace("default")
                .subresource("status")
                .patch(serverSideApply());
        assertThat(written.getStatus().readyReplicas()).isEqualTo(1);
        status.setStatus(WorkerPoolStatusBuilder.builder(status.getStatus())
                .readyReplicas(2)
                .build());
        client.resource(status).inNamespace("default").subresource("status").patch(serverSideApply());
    }

    @Test
    void writesTheStatusOfAnOldTaskSet() {
        var status = new TaskSet();
        status.setMetadata(Specimens.taskSet(OLD_SET).getMetadata());
        status.setStatus(TaskSetStatusBuilder.builder()
                .total(5L)
                .conditions(List.of(condition(ConditionType.Finished, TaskSetReason.SourceInvalid)))
                .build());
        client.resource(status).inNamespace("default").subresource("status").patch(serverSideApply());
        status.setStatus(
                TaskSetStatusBuilder.builder(status.getStatus()).succeeded(5L).build());
        client.resource(status).inNamespace("default").subresource("status").patch(serverSideApply());
    }

    @Test
    void writesTheStatusOfAnOldTask() {
        var status = new Task();
        status.setMetadata(Specimens.task(OLD_TASK).getMetadata());
        status.setStatus(TaskStatusBuilder.builder()
                .state(TaskState.FINISHED)
                .conditions(List.of(condition(ConditionType.Finished, TaskReason.GraphInvalid)))
                .build());
        client.resource(status).inNamespace("default").subresource("status").patch(serverSideApply());
        status.setStatus(
                TaskStatusBuilder.builder(status.getStatus()).percent(100).build());
        client.resource(status).inNamespace("default").subresource("status").patch(serverSideApply());
    }

    @Test
    void scalesSuspendsCancelsAndMarksOldObjects() {
        patch("WorkerPool", OLD_POOL, "{\"spec\":{\"replicas\":3}}");
        patch("WorkerPool", OLD_POOL, "{\"spec\":{\"suspend\":true}}");
        patch("WorkerPool", OLD_POOL, "{\"metadata\":{\"finalizers\":[\"quiver.dev/test\"]}}");
        patch("WorkerPool", OLD_POOL, "{\"metadata\":{\"finalizers\":null}}");
        patch("TaskSet", OLD_SET, "{\"spec\":{\"replicas\":3}}");
        patch("TaskSet", OLD_SET, "{\"spec\":{\"suspend\":true,\"cancel\":true,\"ttlSecondsAfterFinished\":1}}");
        patch("Task", OLD_TASK, "{\"spec\":{\"suspend\":true,\"cancel\":true,\"ttlSecondsAfterFinished\":1}}");
        patch("Task", OLD_TASK, "{\"spec\":{\"activeDeadlineSeconds\":60,\"schedule\":{\"suspend\":true}}}");
        client.resources(WorkerPool.class)
                .inNamespace("default")
                .withName(OLD_POOL)
                .scale(4);
    }

    @Test
    void mendsOneThingAtATime() {
        patch("WorkerPool", OLD_POOL, "{\"spec\":{\"drainSeconds\":60}}");
        assertThatThrownBy(() -> patch("WorkerPool", OLD_POOL, "{\"spec\":{\"drainSeconds\":7300}}"))
                .hasMessageContaining("spec.drainSeconds");
        assertThatThrownBy(() -> patch("WorkerPool", OLD_POOL, "{\"spec\":{\"slots\":{\"count\":101}}}"))
                .hasMessageContaining("spec.slots.count");
        patch("Task", OLD_TASK, "{\"spec\":{\"schedule\":{\"cron\":\"@hourly\"}}}");
        assertThatThrownBy(() -> patch("Task", OLD_TASK, "{\"spec\":{\"schedule\":{\"cron\":\"seldom\"}}}"))
                .hasMessageContaining("spec.schedule.cron");
    }

    private static PatchContext serverSideApply() {
        return new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager("quiver")
                .withForce(true)
                .build();
    }

    private static void create(String yaml) {
        var resource = client.getKubernetesSerialization().unmarshal(yaml, GenericKubernetesResource.class);
        client.resource(resource).inNamespace("default").create();
    }

    private static void patch(String kind, String name, String merge) {
        client.genericKubernetesResources("quiver.dev/v1alpha1", kind)
                .inNamespace("default")
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), merge);
    }

    private static boolean refused(HasMetadata resource) {
        try {
            client.resource(resource).inNamespace("default").dryRun().create();
            return false;
        } catch (KubernetesClientException e) {
            return e.getMessage().contains("metadata.name must be a DNS label");
        }
    }

    private static Condition condition(ConditionType type, Reason reason) {
        return new ConditionBuilder()
                .withType(type.name())
                .withStatus("False")
                .withReason(reason.name())
                .withMessage(reason.sentence())
                .withLastTransitionTime("2026-01-01T00:00:00Z")
                .build();
    }

    private static CustomResourceDefinition lax(CustomResourceDefinition definition) {
        var json = new ObjectMapper();
        var tree = json.<ObjectNode>valueToTree(definition);
        relax(tree.at("/spec/versions/0/schema/openAPIV3Schema"));
        return json.convertValue(tree, CustomResourceDefinition.class);
    }

    /** As the first version of a definition may have been: types and nothing else. */
    private static void relax(JsonNode schema) {
        ((ObjectNode) schema).remove(STRICTNESS);
        schema.path("properties").forEach(RatchetingIT::relax);
        for (var child : List.of("items", "additionalProperties")) {
            if (schema.path(child).isObject()) {
                relax(schema.get(child));
            }
        }
    }
}
