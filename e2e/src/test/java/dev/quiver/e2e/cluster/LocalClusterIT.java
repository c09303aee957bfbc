package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The promises of the local cluster while it runs, each tried on it; one cluster for the class. */
@ResourceLock(LocalCluster.LOCK)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalClusterIT {

    private LocalCluster cluster;
    private Probe probe;

    @BeforeAll
    void start() {
        List<String> missing = LocalCluster.missing();
        Assumptions.assumeTrue(missing.isEmpty(), () -> "missing: for a local cluster, " + String.join(", ", missing));
        cluster = LocalCluster.start("it", LocalCluster.SHORT_GRACE);
        probe = Probe.deploy(cluster);
    }

    @AfterAll
    void end() {
        if (cluster != null) {
            cluster.collectLogs(
                    Path.of("target", "cluster-logs", "LocalClusterIT").toAbsolutePath());
            cluster.close();
        }
    }

    @Test
    void hasTwoReadyNodes() {
        assertThat(cluster.client().nodes().list().getItems())
                .extracting(node -> node.getMetadata().getName())
                .containsExactlyInAnyOrder("node-1", "node-2");
        await("both Ready").until(this::bothReady);
    }

    @Test
    void podsReachEachOtherAndServicesByNameFromEveryNode() throws Exception {
        for (Pod from : List.of(onePodOn("node-1"), onePodOn("node-2"))) {
            for (String node : List.of("node-1", "node-2")) {
                Pod to = onePodOn(node);
                assertThat(probe.exec(
                                from,
                                "/probe",
                                "get",
                                "http://" + to.getStatus().getPodIP() + ":8080"))
                        .isEqualTo(to.getMetadata().getName());
            }
            assertThat(probe.exec(from, "/probe", "get", "http://probe")).startsWith("probe-");
            assertThat(probe.exec(from, "/probe", "get", "http://probe.default.svc.cluster.local"))
                    .startsWith("probe-");
        }
    }

    @Test
    void podsKeepTheirAddressesBetweenNodes() throws Exception {
        Pod from = onePodOn("node-1");
        Pod to = onePodOn("node-2");
        probe.exec(from, "/probe", "get", "http://" + to.getStatus().getPodIP() + ":8080");
        await().untilAsserted(() -> assertThat(probe.log(to))
                .contains("asked by " + from.getStatus().getPodIP() + ":"));
    }

    @Test
    void servesLogsAndExecOnEveryNode() throws Exception {
        for (String node : List.of("node-1", "node-2")) {
            Pod pod = onePodOn(node);
            assertThat(probe.log(pod))
                    .contains("serving as " + pod.getMetadata().getName());
            assertThat(probe.exec(pod, "/probe", "say", "hello", node)).isEqualTo("hello " + node);
        }
    }

    @Test
    void hostReachesPodsAndServices() {
        for (String node : List.of("node-1", "node-2")) {
            Pod pod = onePodOn(node);
            awaitAnswer(
                    "http://" + pod.getStatus().getPodIP() + ":8080",
                    pod.getMetadata().getName());
        }
        awaitAnswer("http://" + probe.serviceAddress(), "probe-");
    }

    @Test
    void whatWouldLeaveTheClusterFailsAtOnce() {
        assertThatThrownBy(() -> probe.exec(onePodOn("node-1"), "/probe", "get", "http://203.0.113.1/"))
                .hasMessageContaining("network is unreachable");
    }

    @Test
    void lostNodeIsNoticedItsPodsRunElsewhereAndItComesBack() {
        cluster.failures().killNode("node-2");
        await("a lost node cuts nobody else off").until(() -> ready("node-1"));
        await("node-2 not Ready").until(() -> !ready("node-2"));
        await("its pods replaced").until(() -> probe.on("node-1").size() == 4);

        assertThat(probe.on("node-2")).isEmpty();

        cluster.failures().startNode("node-2");
        await("node-2 Ready").until(() -> ready("node-2"));
        await("its lost pods buried").until(() -> pods().size() == 4);
        rebalance();
    }

    @Test
    void cutNodeIsLostAndMendedWithTheSameProcesses() throws Exception {
        Path holder = cluster.folder().resolve("node-2/holder");
        String before = Files.readString(holder);
        cluster.failures().cutNode("node-2");
        try {
            await("node-2 not Ready").until(() -> !ready("node-2"));
        } finally {
            cluster.failures().mendNode("node-2");
        }
        await("node-2 Ready").until(() -> ready("node-2"));
        assertThat(holder).hasContent(before);
        rebalance(); // its pods may have been given up meanwhile
    }

    @Test
    void pausedNodeStandsStillAndGoesOn() throws Exception {
        String address = "http://" + onePodOn("node-2").getStatus().getPodIP() + ":8080";
        cluster.failures().pauseNode("node-2");
        try {
            assertThatThrownBy(() -> Probe.get(address)).isInstanceOf(HttpTimeoutException.class);
        } finally {
            cluster.failures().resumeNode("node-2");
        }
        awaitAnswer(address, "probe-");
        settle();
    }

    @Test
    void apiServerCanBeAwayAndComesBackWithEverything() throws Exception {
        String service = "http://" + probe.serviceAddress();
        String before = probe.uid();
        // Away as well: it may judge the nodes by what it has heard before the API server was away, and lose them.
        cluster.failures().stopPart("controller-manager");
        cluster.failures().stopPart("apiserver");
        try {
            assertThatThrownBy(() -> Probe.get(cluster.client().getMasterUrl().toString()))
                    .isInstanceOf(ConnectException.class);
            awaitAnswer(service, "probe-"); // pods do not need it
        } finally {
            cluster.failures().startPart("apiserver");
        }
        await("API server serves").until(this::bothReady);
        cluster.failures().startPart("controller-manager");
        assertThat(probe.uid()).isEqualTo(before);
        settle();
    }

    /** A single request may come too late on a busy machine. */
    private static void awaitAnswer(String url, String beginning) {
        await(url + " answers").until(() -> Probe.get(url).startsWith(beginning));
    }

    /** One pod of the probe on this node. */
    private Pod onePodOn(String node) {
        return probe.on(node).getFirst();
    }

    /**
     * Both nodes Ready to stay, and two pods on each. A node whose lease grew old while nobody could renew it may be
     * called Ready until the controllers look again. Then it may be lost for some seconds with its pods given up.
     */
    private void settle() {
        await("both Ready").during(Duration.ofSeconds(3)).until(this::bothReady);

        if (probe.on("node-1").size() != 2 || probe.on("node-2").size() != 2) {
            rebalance();
        }
    }

    /** Two pods on each node again, after a failure has moved them. */
    private void rebalance() {
        await("both Ready").until(this::bothReady);
        probe.delete();
        await("probe gone").until(() -> pods().isEmpty());
        probe = Probe.deploy(cluster);
    }

    /** The processes of the probe, buried or not. */
    private List<Pod> pods() {
        return cluster.client().pods().inNamespace("default").list().getItems();
    }

    /** And pods may go there: the mark of a lost node is taken off a moment later. */
    private boolean bothReady() {
        return ready("node-1")
                && ready("node-2")
                && cluster.client().nodes().list().getItems().stream()
                        .allMatch(node -> node.getSpec().getTaints().isEmpty());
    }

    private boolean ready(String name) {
        Node node = cluster.client().nodes().withName(name).get();
        return node.getStatus().getConditions().stream()
                .anyMatch(condition -> "Ready".equals(condition.getType()) && "True".equals(condition.getStatus()));
    }
}
