package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.redis.RedisServer;

/** Runs of the same name in two namespaces on one Redis. */
@ExtendWith(ApiServer.class)
class TwoNamespacesIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void equalNamesDoNotMeet(KubernetesClient client) throws InterruptedException {
        String second = client.getNamespace() + "-b";
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(second)
                        .endMetadata()
                        .build())
                .create();
        KubernetesClient other = client.adapt(NamespacedKubernetesClient.class).inNamespace(second);
        String uri = REDIS.process().uri();
        try (OperatorRig rig =
                OperatorRig.over(client.getConfiguration(), List.of(client.getNamespace(), second), uri)) {
            rig.start();
            Seen here = new Seen(client);
            Seen there = new Seen(other);
            client.resource(Samples.set("same", Samples.counted(3))).create();
            other.resource(Samples.set("same", Samples.counted(5))).create();
            assertThat(here.awaitRun("same", s -> s.total() != null).total()).isEqualTo(3);
            assertThat(there.awaitRun("same", s -> s.total() != null).total()).isEqualTo(5);

            var pod = here.awaitPods("tset-same", 1).getFirst();
            try (NoopWorker worker = here.awaitWorker(pod, uri)) {
                Seen.until(worker::passAll, run -> run == 3);
            }
            here.awaitRun("same", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
            client.resources(TaskSet.class).withName("same").delete();
            Seen.gone(() -> client.resources(TaskSet.class).withName("same").get());

            var otherPod = there.awaitPods("tset-same", 1).getFirst();
            try (NoopWorker worker = there.awaitWorker(otherPod, uri)) {
                Seen.until(worker::passAll, run -> run == 5);
            }
            there.awaitRun("same", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
            assertThat(there.run("same").orElseThrow().trials()).isEqualTo(5);
            other.resources(TaskSet.class).withName("same").delete();
            Seen.gone(() -> other.resources(TaskSet.class).withName("same").get());
        }
    }
}
