package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.redis.RedisEndpoint;

/** The commands that the chart runs beside the operator. */
@ExtendWith(ApiServer.class)
class CommandsIT {

    @Test
    void releaseFinalizersLetsEverythingGoAndKeepsOtherFinalizers(KubernetesClient client) {
        TaskSet set = Samples.set("left", Samples.counted(1));
        set.getMetadata().setFinalizers(List.of(QuiverOperator.FINALIZER, "example.com/other"));
        client.resource(set).create();
        WorkerPool pool = Samples.pool("left", 1);
        pool.getMetadata().setFinalizers(List.of(QuiverOperator.FINALIZER));
        client.resource(pool).create();
        client.resources(WorkerPool.class).withName("left").delete();

        ReleaseFinalizers.release(client, TaskSet.class, List.of(client.getNamespace()));
        ReleaseFinalizers.release(client, WorkerPool.class, List.of(client.getNamespace()));

        assertThat(client.resources(WorkerPool.class).withName("left").get()).isNull();
        HasMetadata kept = client.resources(TaskSet.class).withName("left").get();
        assertThat(kept.getMetadata().getFinalizers()).containsExactly("example.com/other");
    }

    @Test
    void releaseFinalizersStopsTheOperatorFirst(KubernetesClient client) {
        client.resource(new DeploymentBuilder()
                        .withNewMetadata()
                        .withName("quiver-operator")
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(2)
                        .withNewSelector()
                        .addToMatchLabels("app", "operator")
                        .endSelector()
                        .withNewTemplate()
                        .withNewMetadata()
                        .addToLabels("app", "operator")
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("operator")
                        .withImage("operator")
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();

        ReleaseFinalizers.stop(client, client.getNamespace(), "quiver-operator");
        ReleaseFinalizers.stop(client, client.getNamespace(), "not-there");

        assertThat(client.apps()
                        .deployments()
                        .withName("quiver-operator")
                        .get()
                        .getSpec()
                        .getReplicas())
                .isZero();
    }

    @Test
    void initSecretMakesThePasswordOnceAndFollowsTheService(KubernetesClient client, @TempDir Path directory)
            throws IOException {
        var target = new InitSecret.Target(client.getNamespace(), "admin", "redis.here.svc", 6379, directory);
        InitSecret.ensure(client, target);
        String first = Files.readString(directory.resolve("uri"));
        assertThat(first).matches("redis://quiver.admin:[0-9a-f]{48}@redis.here.svc:6379/0");
        assertThat(RedisEndpoint.read(directory).uri()).isEqualTo(first);

        InitSecret.ensure(client, target);
        assertThat(Files.readString(directory.resolve("uri"))).isEqualTo(first);

        InitSecret.ensure(
                client, new InitSecret.Target(client.getNamespace(), "admin", "redis.there.svc", 6379, directory));
        assertThat(Files.readString(directory.resolve("uri"))).isEqualTo(first.replace("here", "there"));
    }
}
