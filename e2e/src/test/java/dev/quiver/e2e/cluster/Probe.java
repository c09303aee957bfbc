package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.ExecWatch;

/** A web server on every node and a service before it, from the image probe.tar that is built beside the cluster. */
final class Probe {

    private static final Map<String, String> LABELS = Map.of("app", "probe");

    private final KubernetesClient client;

    private Probe(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Loads the image and runs two of its pods on each of the cluster's nodes. Returns when all are ready and the service
     * leads to them from every node. A ready pod alone does not promise that: each kube-proxy programs its node when it
     * hears of the endpoints, a moment later.
     */
    static Probe deploy(Cluster cluster) {
        cluster.loadImages(List.of(Repository.built("probe.tar")));
        KubernetesClient client = cluster.client();
        int nodes = client.nodes().list().getItems().size();
        client.resource(deployment(2 * nodes)).create();
        client.resource(service()).create();
        client.apps()
                .deployments()
                .inNamespace("default")
                .withName("probe")
                .waitUntilCondition(
                        found -> found != null
                                && found.getStatus() != null
                                && Integer.valueOf(2 * nodes)
                                        .equals(found.getStatus().getReadyReplicas()),
                        5,
                        TimeUnit.MINUTES);
        Probe probe = new Probe(client);
        client.nodes()
                .list()
                .getItems()
                .forEach(node -> probe.awaitService(node.getMetadata().getName()));
        return probe;
    }

    /** Until the service answers by its name from a pod of this node and by its address from the host. */
    private void awaitService(String node) {
        await("service reached from " + node)
                .untilAsserted(() -> assertThat(exec(on(node).getFirst(), "/probe", "get", "http://probe"))
                        .startsWith("probe-"));
        await("service reached from the host")
                .until(() -> get("http://" + serviceAddress()).startsWith("probe-"));
    }

    void delete() {
        client.resource(service()).delete();
        client.resource(deployment(0)).withGracePeriod(0).delete();
    }

    /** The running, not terminating pods on a node. */
    List<Pod> on(String node) {
        return client.pods().inNamespace("default").withLabels(LABELS).list().getItems().stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                .toList();
    }

    /** The answer of the probe inside a pod, run by exec. */
    String exec(Pod pod, String... words) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (ExecWatch watch =
                client.pods().resource(pod).writingOutput(out).writingError(err).exec(words)) {
            Integer exit = watch.exitCode().get(1, TimeUnit.MINUTES);
            assertThat(exit)
                    .as("%s in %s: %s", List.of(words), pod.getMetadata().getName(), err)
                    .isZero();
        }
        return out.toString(StandardCharsets.UTF_8).strip();
    }

    String log(Pod pod) {
        return client.pods().resource(pod).getLog();
    }

    /** The answer that the host gets from this address, at most 3 s later. */
    static String get(String url) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create(url))
                                    .timeout(Duration.ofSeconds(3))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body()
                    .strip();
        }
    }

    /** The uid of its deployment: another one after it was made anew. */
    String uid() {
        return client.apps()
                .deployments()
                .inNamespace("default")
                .withName("probe")
                .get()
                .getMetadata()
                .getUid();
    }

    String serviceAddress() {
        return client.services()
                .inNamespace("default")
                .withName("probe")
                .get()
                .getSpec()
                .getClusterIP();
    }

    private static Deployment deployment(int replicas) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName("probe")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewSelector()
                .withMatchLabels(LABELS)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(LABELS)
                .endMetadata()
                .withNewSpec()
                .withTerminationGracePeriodSeconds(Duration.ofSeconds(1).toSeconds())
                .addNewTopologySpreadConstraint()
                .withMaxSkew(1)
                .withTopologyKey("kubernetes.io/hostname")
                .withWhenUnsatisfiable("ScheduleAnyway")
                .withNewLabelSelector()
                .withMatchLabels(LABELS)
                .endLabelSelector()
                .endTopologySpreadConstraint()
                .addNewContainer()
                .withName("probe")
                .withImage("quiver.local/probe:1")
                .withImagePullPolicy("IfNotPresent")
                .withArgs("serve")
                .withNewReadinessProbe()
                .withNewHttpGet()
                .withPath("/")
                .withPort(new IntOrString(8080))
                .endHttpGet()
                .withPeriodSeconds(1)
                .endReadinessProbe()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static Service service() {
        return new ServiceBuilder()
                .withNewMetadata()
                .withName("probe")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withSelector(LABELS)
                .addNewPort()
                .withPort(80)
                .withTargetPort(new IntOrString(8080))
                .endPort()
                .endSpec()
                .build();
    }
}
