package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The promises of every provider to the scenarios, whichever was found. */
@OnCluster(OnCluster.Use.BROKEN)
@Order(1)
class ClusterE2E {

    @Test
    void runsPodFromLoadedArchiveAndServesItsLog(Cluster cluster) {
        cluster.loadImages(List.of(Repository.built("probe.tar")));
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withName("says-hello")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .addNewContainer()
                .withName("probe")
                .withImage("quiver.local/probe:1")
                .withImagePullPolicy("IfNotPresent")
                .withArgs("say", "hello", "from", "a", "pod")
                .endContainer()
                .endSpec()
                .build();
        var resource = cluster.client().resource(pod);
        resource.create();
        try {
            resource.waitUntilCondition(
                    found -> found != null
                            && "Succeeded".equals(found.getStatus().getPhase()),
                    5,
                    TimeUnit.MINUTES);
            assertThat(cluster.client().pods().resource(pod).getLog()).isEqualToIgnoringNewLines("hello from a pod");
        } finally {
            resource.withGracePeriod(0).delete();
        }
    }

    @Test
    void kubectlWorksWithItsKubeconfig(Cluster cluster) {
        assertThat(Command.of(
                                Repository.built("kubectl").toString(),
                                "--kubeconfig",
                                cluster.kubeconfig().toString(),
                                "get",
                                "--raw",
                                "/readyz")
                        .run())
                .isEqualTo("ok");
    }

    @Test
    void nodeCanBeLostAndComesBack(Cluster cluster) {
        Failures failures = cluster.failures();
        String node = cluster.client()
                .nodes()
                .list()
                .getItems()
                .getLast()
                .getMetadata()
                .getName();
        failures.killNode(node);
        try {
            awaitReady(cluster, node, "Unknown");
        } finally {
            failures.startNode(node);
        }
        awaitReady(cluster, node, "True");
    }

    private static void awaitReady(Cluster cluster, String node, String status) {
        cluster.client()
                .nodes()
                .withName(node)
                .waitUntilCondition(
                        found -> found.getStatus().getConditions().stream()
                                .anyMatch(condition ->
                                        "Ready".equals(condition.getType()) && status.equals(condition.getStatus())),
                        5,
                        TimeUnit.MINUTES);
    }
}
