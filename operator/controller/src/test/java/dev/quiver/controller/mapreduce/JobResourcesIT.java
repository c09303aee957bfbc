package dev.quiver.controller.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

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
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;

/** A job says which resource of its pool is missing, and goes on when that comes. */
@ExtendWith(ApiServer.class)
class JobResourcesIT {

    private static final String POOL = "mail";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    @Test
    void aJobWaitsForAResourceAndGoesOnWhenItComes(KubernetesClient client) throws InterruptedException {
        client.resource(Samples.serving(POOL, 1)).create();
        Seen seen = new Seen(client);
        Pod pod = seen.awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("f", "split");
            client.resource(Samples.job(
                            "fold", Samples.mapReduce(POOL, "split", "f", null).resources(List.of("online"))))
                    .create();
            MapReduceJobStatus blocked =
                    seen.awaitJob("fold", status -> status.blockedOn().equals(List.of("online")));
            assertThat(Seen.condition(blocked.conditions(), ConditionType.Blocked)
                            .getMessage())
                    .startsWith("1 node waits for online,");
            assertThat(blocked.blockedSince()).isNotNull();
            seen.awaitJob("fold", ConditionType.Finished, BlockedReason.ResourceMissing);
            assertThat(worker.claim(4)).isZero();

            Samples.patch(client, WorkerPool.class, POOL, "\"resources\":[{\"name\":\"online\"}]");
            Seen.until(() -> worker.claim(4), held -> held == 1);
            seen.awaitJob("fold", status -> status.blockedOn().isEmpty());
        }
    }
}
