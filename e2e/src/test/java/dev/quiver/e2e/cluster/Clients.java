package dev.quiver.e2e.cluster;

import java.nio.file.Path;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** Makes clients that know nothing but the given kubeconfig: no environment, no service account of this machine. */
final class Clients {

    private Clients() {}

    static KubernetesClient of(Path kubeconfig) {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build();
    }
}
