package dev.quiver.e2e.cluster;

import java.nio.file.Path;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * A way into a cluster, with all rights.
 *
 * @param kubeconfig for kubectl and helm as child processes
 * @param client for ourselves; it lives as long as the cluster
 */
public record Access(Path kubeconfig, KubernetesClient client) {

    /** What a kubeconfig gives, and nothing else: no environment, no service account of this machine. */
    static Access of(Path kubeconfig) {
        return new Access(
                kubeconfig,
                new KubernetesClientBuilder()
                        .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                        .build());
    }
}
