package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
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
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/** A Task and its pool say who holds the permits that it waits for. */
@ExtendWith(ApiServer.class)
class TaskPermitsIT {

    private static final String POOL = "reports";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static void create(KubernetesClient client, String name) {
        client.resource(Samples.task(
                        name, Samples.tree(POOL, TaskNode.ofHandler(name, "f")).resources(List.of("tenant!acme"))))
                .create();
    }

    @Test
    void aTaskSaysWhoHoldsThePermitsAndRunsWhenOneIsFree(KubernetesClient client) throws InterruptedException {
        WorkerPool pool = Samples.serving(POOL, 1);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .resources(List.of(new PoolResource("tenant!*", null, 1, null, null, null)))
                .build());
        client.resource(pool).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("f");
            create(client, "first");
            Seen.until(() -> worker.claim(4), held -> held == 1);
            create(client, "second");
            String holder = client.resources(Task.class)
                    .withName("first")
                    .get()
                    .getMetadata()
                    .getUid();

            seen.awaitTask("second", ConditionType.Blocked, BlockedReason.PermitMissing);
            Condition blocked = Seen.condition(seen.task("second").orElseThrow().conditions(), ConditionType.Blocked);
            assertThat(blocked.getMessage())
                    .isEqualTo("1 node waits for tenant!acme, 1 of 1 permits held by " + holder + ".");
            seen.awaitTask("second", ConditionType.Finished, BlockedReason.PermitMissing);
            WorkerPoolStatus status =
                    seen.awaitPool(POOL, now -> Long.valueOf(1).equals(now.blocked()));
            assertThat(status.resources())
                    .contains(new PoolResourceStatus(
                            "tenant!acme",
                            ResourceState.Available,
                            null,
                            null,
                            1L,
                            1,
                            1L,
                            null,
                            List.of(holder),
                            null));

            worker.pass("1");
            Seen.until(() -> worker.claim(4), held -> held == 1);
            seen.awaitTask("second", ConditionType.Blocked, BlockedReason.NothingMissing);
            worker.pass("2");
            seen.awaitTask("second", ConditionType.Finished, TaskReason.RootSucceeded);
            seen.awaitPool(
                    POOL,
                    now -> Long.valueOf(0).equals(now.blocked())
                            && now.resources().stream()
                                    .noneMatch(resource -> resource.name().equals("tenant!acme")));
        }
    }
}
