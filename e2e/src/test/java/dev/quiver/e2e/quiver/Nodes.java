package dev.quiver.e2e.quiver;

import java.util.Comparator;
import java.util.List;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;

import dev.quiver.e2e.cluster.Cluster;

/**
 * The nodes of the cluster, with a root shell on each: a privileged pod in the node's own pid namespace. That works on
 * every provider, and is what an administrator would use where there is no SSH.
 */
public final class Nodes implements AutoCloseable {

    private static final String NAMESPACE = "quiver-e2e-nodes";

    private final Cluster cluster;
    private final Kubectl kubectl;

    Nodes(Cluster cluster) {
        this.cluster = cluster;
        this.kubectl = new Kubectl(cluster.kubeconfig(), NAMESPACE);
    }

    /** The node that operator and Redis are kept on. */
    public String home() {
        return names().getFirst();
    }

    /** All others. */
    public List<String> others() {
        return names().stream().skip(1).toList();
    }

    /** Sends a signal to the first process of a pod's container, which its own pid namespace could not do. */
    public void signal(Pod pod, String container, String signal) {
        shell(
                pod.getSpec().getNodeName(),
                "for d in /proc/[0-9]*; do grep -qs " + containerId(pod, container) + " $d/cgroup"
                        + " && [ \"$(awk '/^NSpid/ {print $NF}' $d/status)\" = 1 ] && kill -" + signal
                        + " ${d#/proc/} && exit; done; echo no process of the container >&2; exit 1");
    }

    /** Runs a line of shell as root on a node. */
    public String shell(String node, String line) {
        return kubectl.run("exec", "shell-" + node, "--", "sh", "-c", line);
    }

    void open() {
        kubectl.apply("{apiVersion: v1, kind: Namespace, metadata: {name: " + NAMESPACE + "}}");
        names().forEach(node -> kubectl.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: shell-%s}
                spec:
                  hostPID: true
                  nodeName: %s
                  terminationGracePeriodSeconds: 0
                  tolerations: [{operator: Exists}]
                  containers:
                    - name: shell
                      image: quiver/demo:0.1.0
                      command: [sleep, infinity]
                      securityContext: {privileged: true, runAsUser: 0}
                """.formatted(node, node)));
        kubectl.run("wait", "--for=condition=Ready", "pod", "--all", "--timeout=2m");
    }

    /** Opens the shell of a node again, which went with the node. */
    public void reopen(String node) {
        kubectl.run("delete", "pod", "shell-" + node, "--ignore-not-found", "--force", "--grace-period=0");
        open();
    }

    @Override
    public void close() {
        kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
    }

    private List<String> names() {
        return cluster.client().nodes().list().getItems().stream()
                .map(Node::getMetadata)
                .sorted(Comparator.comparing(meta -> meta.getName()))
                .map(meta -> meta.getName())
                .toList();
    }

    private static String containerId(Pod pod, String container) {
        return java.util.stream.Stream.concat(
                        pod.getStatus().getInitContainerStatuses().stream(),
                        pod.getStatus().getContainerStatuses().stream())
                .filter(status -> status.getName().equals(container))
                .map(ContainerStatus::getContainerID)
                .map(id -> id.substring(id.indexOf("//") + 2))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "pod " + pod.getMetadata().getName() + " has no running container " + container));
    }
}
