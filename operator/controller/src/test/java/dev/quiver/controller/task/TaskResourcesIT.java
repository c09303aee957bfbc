package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.BlockedReason;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.PoolResource;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/** A Task and its pool say which resource is missing, and the Task runs when that comes. */
@ExtendWith(ApiServer.class)
class TaskResourcesIT {

    private static final String POOL = "mail";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static void declare(KubernetesClient client, PoolResource... resources) {
        Samples.patch(client, WorkerPool.class, POOL, resources(List.of(resources)));
    }

    private static String resources(List<?> all) {
        return "\"resources\":" + Serialization.asJson(all);
    }

    private static TaskSpecBuilder send(String... resources) {
        return Samples.tree(POOL, TaskNode.ofHandler("send", "f")).resources(List.of(resources));
    }

    @Test
    void aTaskSaysWhatItWaitsForAndRunsWhenThatComes(KubernetesClient client) throws InterruptedException {
        client.resource(Samples.serving(POOL, 1)).create();
        declare(
                client,
                new PoolResource("online", null, null, null, null, null),
                new PoolResource("credentials!*", ResourceState.Missing, null, null, null, null));
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("f");
            client.resource(Samples.task("send-7", send("online", "credentials!7")))
                    .create();
            client.resource(Samples.task("print", send("printer"))).create();

            TaskStatus blocked =
                    seen.awaitTask("send-7", status -> status.blockedOn().equals(List.of("credentials!7")));
            Condition condition = Seen.condition(blocked.conditions(), ConditionType.Blocked);
            assertThat(condition.getStatus()).isEqualTo("True");
            assertThat(condition.getMessage()).matches("1 node waits for credentials!7, missing since \\S+Z\\.");
            assertThat(blocked.blockedSince()).isNotNull();
            seen.awaitTask("send-7", ConditionType.Finished, BlockedReason.ResourceMissing);
            seen.awaitTask("print", status -> status.blockedOn().equals(List.of("printer")));
            WorkerPoolStatus pool =
                    seen.awaitPool(POOL, status -> Long.valueOf(2).equals(status.blocked()));
            assertThat(pool.resources())
                    .filteredOn(resource -> resource.waiting() == 1)
                    .extracting(PoolResourceStatus::name)
                    .containsExactly("credentials!7", "printer");
            assertThat(seen.columns("workerpools", POOL)).contains("2");
            assertThat(worker.claim(4)).isZero();

            declare(
                    client,
                    new PoolResource("online", null, null, null, null, null),
                    new PoolResource("credentials!*", null, null, null, null, null));
            Seen.until(() -> worker.claim(4), held -> held == 1);
            assertThat(worker.names()).containsExactly("send");
            worker.pass("1");
            seen.awaitTask("send-7", ConditionType.Finished, TaskReason.RootSucceeded);
            assertThat(seen.task("send-7").orElseThrow())
                    .returns(List.of(), TaskStatus::blockedOn)
                    .returns(null, TaskStatus::blockedSince);

            Samples.patch(client, Task.class, "print", resources(List.of("online")));
            Seen.until(() -> worker.claim(4), held -> held == 1);
            seen.awaitTask("print", ConditionType.Blocked, BlockedReason.NothingMissing);
            seen.awaitPool(POOL, status -> Long.valueOf(0).equals(status.blocked()));
        }
    }

    /** The pool alone tells why its Tasks wait. */
    @Test
    void aPoolThatDeclaresNothingCountsTheTasksThatNameAnything(KubernetesClient client) {
        client.resource(Samples.serving("bare", 0)).create();
        Seen seen = new Seen(client);
        client.resource(Samples.task(
                        "lost",
                        Samples.tree("bare", TaskNode.ofHandler("send", "f")).resources(List.of("printer"))))
                .create();
        WorkerPoolStatus pool = seen.awaitPool("bare", status -> Long.valueOf(1).equals(status.blocked()));
        assertThat(pool.resources())
                .singleElement()
                .returns("printer", PoolResourceStatus::name)
                .returns(PoolResourceStatus.UNDECLARED, PoolResourceStatus::by);
        client.resources(Task.class).withName("lost").delete();
        seen.awaitPool("bare", status -> status.blocked() == null);
    }

    /** The operator asks by itself, and says what it heard. */
    @Test
    void aProbeHoldsTasksWhileItsServerIsAway(KubernetesClient client) throws Exception {
        client.resource(Samples.serving("probed", 1)).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("probed", 1).getFirst();
        new Kubelet(client).allReady("probed");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicInteger status = new AtomicInteger(503);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status.get(), -1);
            exchange.close();
        });
        server.start();
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("f");
            String probe =
                    "\"resources\":[{\"name\":\"online\",\"probe\":{\"httpGet\":{\"host\":\"127.0.0.1\",\"port\":"
                            + server.getAddress().getPort() + "},\"periodSeconds\":2,\"failureThreshold\":1}}]";
            Samples.patch(client, WorkerPool.class, "probed", probe);
            PoolResourceStatus missing = seen.awaitPool("probed", only(ResourceState.Missing))
                    .resources()
                    .getFirst();
            assertThat(missing)
                    .returns("probe", PoolResourceStatus::by)
                    .returns(
                            "GET http://127.0.0.1:" + server.getAddress().getPort() + "/: answered 503",
                            PoolResourceStatus::message);
            client.resource(Samples.task(
                            "asked",
                            Samples.tree("probed", TaskNode.ofHandler("send", "f"))
                                    .resources(List.of("online"))))
                    .create();
            seen.awaitTask("asked", now -> now.blockedOn().equals(List.of("online")));
            assertThat(worker.claim(4)).isZero();

            status.set(204);
            Seen.until(() -> worker.claim(4), held -> held == 1);
            worker.pass("1");
            seen.awaitPool(
                    "probed",
                    only(ResourceState.Available)
                            .and(pool -> pool.resources().getFirst().message() == null));

            status.set(500);
            seen.awaitPool("probed", only(ResourceState.Missing));
            Samples.patch(client, WorkerPool.class, "probed", "\"resources\":[{\"name\":\"online\"}]");
            seen.awaitPool("probed", only(ResourceState.Available));
        } finally {
            server.stop(0);
        }
    }

    /** A function knows more of a resource than a request does. */
    @Test
    void aFunctionOfThePoolSaysWhetherAResourceIsThere(KubernetesClient client) throws Exception {
        client.resource(Samples.serving("called", 1)).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("called", 1).getFirst();
        new Kubelet(client).allReady("called");
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("check");
            Samples.patch(
                    client,
                    WorkerPool.class,
                    "called",
                    "\"resources\":[{\"name\":\"online\",\"probe\":{\"exec\":{\"handler\":\"check\",\"args\":[7]},"
                            + "\"periodSeconds\":2,\"timeoutSeconds\":10,\"failureThreshold\":1}}]");
            Seen.until(() -> worker.claim(1), held -> held == 1);
            assertThat(worker.names()).containsExactly("online");
            worker.fail("login refused");
            PoolResourceStatus missing = seen.awaitPool("called", only(ResourceState.Missing))
                    .resources()
                    .getFirst();
            assertThat(missing.by()).isEqualTo("probe");
            assertThat(missing.message()).startsWith("check: ").contains("login refused");
            Seen.until(() -> worker.claim(1), held -> held == 1);
            worker.pass("1");
            seen.awaitPool("called", only(ResourceState.Available));
        }
    }

    /** The order in which people apply their files is theirs. */
    @Test
    void aTaskThatCameBeforeItsAliasRunsWithIt(KubernetesClient client) throws InterruptedException {
        client.resource(Samples.serving("aliased", 1)).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods("aliased", 1).getFirst();
        new Kubelet(client).allReady("aliased");
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("f");
            client.resource(Samples.task(
                            "early",
                            Samples.tree("aliased", TaskNode.ofHandler("send", "f"))
                                    .resources(List.of("account!7"))))
                    .create();
            seen.awaitTask("early", status -> status.blockedOn().equals(List.of("account!7")));
            Samples.patch(
                    client,
                    WorkerPool.class,
                    "aliased",
                    "\"resources\":[{\"name\":\"online\"}],"
                            + "\"resourceAliases\":[{\"name\":\"account!*\",\"resources\":[\"online\"]}]");
            Seen.until(() -> worker.claim(4), held -> held == 1);
        }
    }

    /** Whether the pool shows one resource, in this state; a status of before the resource was declared shows none. */
    private static Predicate<WorkerPoolStatus> only(ResourceState state) {
        return pool ->
                pool.resources().size() == 1 && pool.resources().getFirst().state() == state;
    }
}
