package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.controller.rig.Wire;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.redis.RedisServer;

/** An API server that is not to be reached for a while, as when it is restarted. */
@ExtendWith(ApiServer.class)
class ApiAwayIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void theOperatorComesBackByItselfAndTheStatusIsRight(KubernetesClient client)
            throws IOException, InterruptedException {
        Seen seen = new Seen(client);
        URI server = URI.create(client.getConfiguration().getMasterUrl());
        try (Wire wire = Wire.to(server.getHost(), server.getPort());
                OperatorRig rig = OperatorRig.of(
                                through(client.getConfiguration(), wire),
                                client.getNamespace(),
                                REDIS.process().uri())
                        .start()) {
            client.resource(Samples.set("carries-on", Samples.counted(6))).create();
            Pod pod = seen.awaitPods("tset-carries-on", 1).getFirst();
            try (NoopWorker worker = seen.awaitWorker(pod, REDIS.process().uri())) {
                Seen.until(() -> worker.claim(2), held -> held == 2);
                wire.cut();
                worker.pass();
                worker.passAll();
                wire.mend();
            }
            seen.awaitRun("carries-on", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
            assertThat(rig.lost).hasValue(0);
            client.resource(Samples.pool("after", 1)).create();
            seen.awaitPods("after", 1);
        }
    }

    private static Config through(Config direct, Wire wire) {
        return new ConfigBuilder(direct)
                .withMasterUrl("https://127.0.0.1:" + wire.port() + "/")
                .build();
    }
}
