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

    /** A busy machine's API server may take more than the client's ten seconds. */
    private static final int PATIENCE_MILLIS = 30_000;

    /** The access that a kubeconfig gives, and nothing else: no environment, no service account of this machine. */
    static Access of(Path kubeconfig) {
        Config config = Config.fromKubeconfig(kubeconfig.toFile());
        config.setRequestTimeout(PATIENCE_MILLIS);
        return new Access(
                kubeconfig, new KubernetesClientBuilder().withConfig(config).build());
    }
}
