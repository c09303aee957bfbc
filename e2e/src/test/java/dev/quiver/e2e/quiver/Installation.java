package dev.quiver.e2e.quiver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.e2e.cluster.Cluster;
import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.ExistingCluster;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;

/**
 * Quiver on a cluster, as {@code helm install} leaves it, and what a disturbance needs to break. Operator, Redis
 * and history are kept on one node, so that the others can be lost. Thread-safe.
 */
public final class Installation implements AutoCloseable {

    /** The namespace of the release. */
    public static final String NAMESPACE = "quiver-system";

    /** The label of a namespace whose pods must meet the restricted Pod Security Standard. */
    static final String RESTRICTED = "pod-security.kubernetes.io/enforce=restricted";

    /** The beginning of the keys that a namespace shares with programs of npm's idoit, see {@link Granted}. */
    public static final String IDOIT_PREFIX = "idoit:";

    /** The beginning of the keys that a namespace shares with map-reduce queues, see {@link Granted}. */
    public static final String QUEUE_PREFIX = "queue:";

    /** The namespace to which each prefix is granted from the beginning. */
    static final Map<String, String> GRANTED = Map.of(IDOIT_PREFIX, "e2e-idoit", QUEUE_PREFIX, "e2e-queue");

    /** The operator's Deployment. */
    public static final String OPERATOR = "deployment/quiver-operator";

    /** The Redis of the chart. */
    public static final String REDIS = "statefulset/quiver-redis";

    /** With everysec a slow disk delays a write for up to 2 s, and a kill loses it: no test could count exactly. */
    private static final String EACH_WRITE_AT_ONCE = "redis.extraConfig=appendfsync no";

    /**
     * The local cluster gives pods up 5 s after their node was thought lost. That happens when a busy machine or a
     * stopped API server keeps the node's word back. Pods that no scenario means to lose stay, as they would
     * with Kubernetes' own default.
     */
    private static final String PATIENCE_WITH_HOME = """
            [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300, "effect": "NoExecute"},
             {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300, "effect": "NoExecute"}]
            """;

    /** Where our images are: those that are loaded into nodes have a name that no registry serves. */
    private static final String REGISTRY =
            Optional.ofNullable(System.getenv("QUIVER_IMAGE_REGISTRY")).orElse("localhost");

    private static final Logger LOG = LoggerFactory.getLogger(Installation.class);
    private static final Path HELM = Repository.built("helm");
    private static final String CHART =
            Repository.root().resolve("charts/quiver").toString();

    private final Cluster cluster;
    private final Kubectl kubectl;
    private final Nodes nodes;
    private final Set<Path> loaded = new HashSet<>();
    private boolean gone;

    private Installation(Cluster cluster) {
        this.cluster = cluster;
        this.kubectl = new Kubectl(cluster.kubeconfig(), NAMESPACE);
        this.nodes = new Nodes(cluster);
    }

    /** The image of supervisors and agents, as it is named in the cluster. */
    public static String workerImage() {
        return REGISTRY + "/quiver/worker:0.1.0";
    }

    /** Builds and loads the images, and installs the chart. */
    static Installation on(Cluster cluster) {
        long began = System.nanoTime();
        cluster.loadImages(Images.archives("operator", "worker", "demo", "busybox", "redis"));
        long loaded = System.nanoTime();
        Installation installation = new Installation(cluster);
        installation.install();
        installation.nodes.open();
        LOG.info(
                "{}: images loaded in {} s, installed in {} s",
                cluster.description(),
                TimeUnit.NANOSECONDS.toSeconds(loaded - began),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - loaded));
        return installation;
    }

    /** Brings images to the nodes that only some scenarios need; those that are there already stay. */
    public synchronized void load(List<Path> archives) {
        if (loaded.addAll(archives)) {
            cluster.loadImages(archives);
        }
    }

    /** Installs the chart, in a namespace that is restricted, and returns when all of it is ready. */
    private void install() {
        kubectl.apply("{apiVersion: v1, kind: Namespace, metadata: {name: " + NAMESPACE + "}}");
        kubectl.run("label", "--overwrite", "namespace", NAMESPACE, RESTRICTED);
        List<String> home = Stream.of("operator", "redis", "history")
                .flatMap(part -> Stream.of(
                        "--set",
                        part + ".nodeSelector.kubernetes\\.io/hostname=" + nodes.home(),
                        "--set-json",
                        part + ".tolerations=" + PATIENCE_WITH_HOME))
                .toList();
        Stream<String> grants = GRANTED.entrySet().stream()
                .flatMap(grant ->
                        Stream.of("--set", "operator.grantedPrefixes." + grant.getValue() + "=" + grant.getKey()));
        helm(Stream.concat(
                        Stream.of(
                                "upgrade",
                                "--install",
                                "quiver",
                                CHART,
                                "--create-namespace",
                                "--set",
                                "image.registry=" + REGISTRY,
                                "--set",
                                EACH_WRITE_AT_ONCE,
                                "--wait",
                                "--timeout",
                                "4m"),
                        Stream.concat(grants, home.stream()))
                .toArray(String[]::new));
    }

    /** The release's revision: it grows with each installation, upgrade and rollback. */
    public int revision() {
        return Serialization.unmarshal(helm("status", "quiver", "--output", "json"), JsonNode.class)
                .path("version")
                .asInt();
    }

    /** Runs the chart's own test as a person would, and returns what helm and the test's pod said. */
    public String test() {
        return helm("test", "quiver", "--logs", "--timeout", "5m");
    }

    /** Upgrades the chart to other values, each {@code name=value}, and returns when all of it is ready. */
    public synchronized void upgrade(String... values) {
        helm(Stream.concat(
                        Stream.of("upgrade", "quiver", CHART, "--reuse-values", "--wait", "--timeout", "4m"),
                        Stream.of(values).flatMap(value -> Stream.of("--set", value)))
                .toArray(String[]::new));
    }

    /** Takes the chart back to a revision, and returns when all of it is ready. */
    public synchronized void rollBack(int revision) {
        helm("rollback", "quiver", Integer.toString(revision), "--wait", "--timeout", "4m");
    }

    /** The installation may be broken from now on: the next test that asks gets a new installation. */
    public synchronized void giveUp() {
        gone = true;
    }

    /** Uninstalls the chart as a person would, hooks included. That may get stuck half-way; see {@link #giveUp}. */
    public synchronized void uninstall() {
        giveUp();
        helm("uninstall", "quiver", "--wait", "--timeout", "4m");
    }

    /** Installs the chart anew where it was uninstalled. */
    synchronized void restore() {
        if (gone) {
            helm("uninstall", "quiver", "--no-hooks", "--ignore-not-found", "--wait", "--timeout", "4m");
            install();
            gone = false;
        }
    }

    /** The cluster it runs on. */
    public Cluster cluster() {
        return cluster;
    }

    /** kubectl in the release's namespace. */
    public Kubectl kubectl() {
        return kubectl;
    }

    /** redis-cli with the administrator's rights. */
    public RedisCli redis() {
        return new RedisCli(kubectl);
    }

    /** The nodes, with a shell on each. */
    public Nodes nodes() {
        return nodes;
    }

    /** Asks for so many replicas of a part and waits until they are ready, or gone. */
    public void scale(String part, int replicas) {
        kubectl.run("scale", part, "--replicas=" + replicas);
        kubectl.run("rollout", "status", part, "--timeout=4m");
        if (replicas == 0) {
            kubectl.run("wait", "--for=jsonpath={.status.replicas}=0", part, "--timeout=4m");
        }
    }

    /** The pods of a component of the release: {@code operator}, {@code redis} or {@code history}. */
    public List<Pod> pods(String component) {
        return cluster.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("app.kubernetes.io/component", component)
                .list()
                .getItems();
    }

    /** How often containers of a component were started again in the pods that are there. */
    public int restarts(String component) {
        return pods(component).stream()
                .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                .mapToInt(ContainerStatus::getRestartCount)
                .sum();
    }

    /** Leaves somebody's cluster as it was; a cluster that goes with the tests needs no such care. */
    @Override
    public void close() {
        if (cluster instanceof ExistingCluster) {
            nodes.close();
            if (!gone) {
                uninstall();
            }
        }
    }

    private String helm(String... words) {
        return Command.of(Stream.concat(
                                Stream.of(
                                        HELM.toString(),
                                        "--kubeconfig",
                                        cluster.kubeconfig().toString(),
                                        "--namespace",
                                        NAMESPACE),
                                Stream.of(words))
                        .toArray(String[]::new))
                .within(Duration.ofMinutes(5))
                .run();
    }
}
