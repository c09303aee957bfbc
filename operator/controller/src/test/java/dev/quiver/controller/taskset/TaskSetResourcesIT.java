package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

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
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;

/** A TaskSet says which resource of its pool is missing, and goes on when that comes. */
@ExtendWith(ApiServer.class)
class TaskSetResourcesIT {

    private static final String POOL = "mail";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static void declare(KubernetesClient client, PoolResource... resources) {
        Samples.patch(client, WorkerPool.class, POOL, "\"resources\":" + Serialization.asJson(List.of(resources)));
    }

    private static PoolResource plain(String name) {
        return new PoolResource(name, null, null, null, null, null);
    }

    @Test
    void aRunWaitsForAResourceAndGoesOnWhenItComes(KubernetesClient client) throws InterruptedException {
        client.resource(Samples.serving(POOL, 1)).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("f");
            client.resource(Samples.set(
                            "send",
                            Samples.counted(2)
                                    .workerTemplate(null)
                                    .workerPoolRef(new WorkerPoolRef(POOL))
                                    .resources(List.of("online", "printer"))))
                    .create();

            TaskSetStatus blocked =
                    seen.awaitRun("send", status -> status.blockedOn().equals(List.of("online", "printer")));
            Condition condition = Seen.condition(blocked.conditions(), ConditionType.Blocked);
            assertThat(condition.getStatus()).isEqualTo("True");
            assertThat(condition.getMessage())
                    .isEqualTo("2 tasks wait for online, which the WorkerPool does not declare in spec.resources;"
                            + " then printer.");
            assertThat(blocked.blockedSince()).isNotNull();
            seen.awaitRun("send", ConditionType.Finished, BlockedReason.ResourceMissing);
            assertThat(worker.claim(4)).isZero();

            declare(client, plain("online"), new PoolResource("printer", null, 1, null, null, null));
            TaskSetStatus refused =
                    seen.awaitRun("send", status -> status.blockedOn().equals(List.of("printer")));
            assertThat(Seen.condition(refused.conditions(), ConditionType.Blocked)
                            .getMessage())
                    .isEqualTo("2 tasks wait for printer, which has permits, and only Tasks can hold those.");
            seen.awaitRun("send", ConditionType.Finished, BlockedReason.SchedulingNotSupported);
            assertThat(worker.claim(4)).isZero();

            declare(client, plain("online"), plain("printer"));
            Seen.until(() -> worker.claim(4), held -> held > 0);
            while (worker.passAll() > 0 || worker.claim(4) > 0) {
                worker.passAll();
            }
            TaskSetStatus ended = seen.awaitRun("send", status -> status.completionTime() != null);
            assertThat(Seen.condition(ended.conditions(), ConditionType.Finished)
                            .getReason())
                    .isEqualTo(TaskSetReason.AllTasksSucceeded.name());
            assertThat(ended).returns(List.of(), TaskSetStatus::blockedOn).returns(null, TaskSetStatus::blockedSince);
        }
    }
}
