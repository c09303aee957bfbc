package dev.quiver.e2e.cluster;

import java.nio.file.Path;
import java.util.List;

import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A Kubernetes that serves, with at least one node Ready. Safe for use by several threads; closing it ends what its
 * provider started, and nothing else.
 */
public interface Cluster extends AutoCloseable {

    /** The description of this cluster, in words for a person: provider and where it is. */
    String description();

    /** The way in. */
    Access access();

    /** A client with all rights; it lives as long as the cluster. */
    default KubernetesClient client() {
        return access().client();
    }

    /** A kubeconfig file with all rights, for kubectl and helm as child processes. */
    default Path kubeconfig() {
        return access().kubeconfig();
    }

    /** Makes the images in these archives (docker or OCI) usable by pods on every node, by the names in the archives. */
    void loadImages(List<Path> archives);

    /**
     * The switch for failures of machines.
     *
     * @throws org.opentest4j.TestAbortedException where this provider has none, naming what is missing: the test that
     *     asks is skipped
     */
    Failures failures();

    /** Copies the logs of every part, as far as this provider can reach them, into a folder. */
    void collectLogs(Path folder);

    @Override
    void close();
}
