package dev.quiver.e2e.quiver;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;

import dev.quiver.e2e.cluster.Cluster;

/**
 * The nodes of the cluster, with a root shell on each: a privileged pod in the node's own pid namespace. That works on
 * every provider, and is what an administrator would use where there is no SSH.
 */
public final class Nodes implements AutoCloseable {

    private static final String NAMESPACE = "quiver-e2e-nodes";

    private static final String NO_PROCESS = "no process of the container";

    /**
     * The first processes of a container, found by its id in their cgroup. In Python: a shell that forks for each
     * process of a busy node takes longer than the tasks whose end it is to come before.
     */
    private static final String SIGNAL = """
            import os, signal, sys
            container, number, found = sys.argv[1], getattr(signal, 'SIG' + sys.argv[2]), False
            for pid in filter(str.isdigit, os.listdir('/proc')):
                try:
                    if container not in open(f'/proc/{pid}/cgroup').read():
                        continue
                    pids = [line.split() for line in open(f'/proc/{pid}/status') if line.startswith('NSpid:')][0]
                    if pids[-1] == '1':
                        os.kill(int(pid), number)
                        found = True
                except OSError:
                    pass  # gone by itself
            if not found:
                sys.exit('%s')
            """.formatted(NO_PROCESS);

    /** The pod's cgroup tells whose a process is; systemd writes the uid with other dashes there. */
    private static final String KEEP_KILLED = """
            import os, re, signal, sys, time
            pod, program = re.compile(sys.argv[1].replace('-', '[-_]')), sys.argv[2].encode()
            until = time.time() + float(sys.argv[3])
            while time.time() < until:
                for pid in filter(str.isdigit, os.listdir('/proc')):
                    try:
                        if program in open(f'/proc/{pid}/cmdline', 'rb').read() and pod.search(open(f'/proc/{pid}/cgroup').read()):
                            os.kill(int(pid), signal.SIGKILL)
                            print('killed', pid)
                    except OSError:
                        pass  # gone by itself
                time.sleep(0.05)
            """;

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

    /**
     * Sends a signal to the first process of a pod's container, which its own pid namespace could not do. Waits for that
     * process: kubelet reports a container that it started anew only after the program in it runs.
     */
    public void signal(Pod pod, String container, String signal) {
        Awaitility.await(container + " of " + pod.getMetadata().getName() + " runs")
                .until(() -> signalIfThere(current(pod), container, signal));
    }

    /** The same, for one that may be gone by itself. Returns whether it was there. */
    public boolean signalIfThere(Pod pod, String container, String signal) {
        try {
            kubectl.run(
                    "exec",
                    shellOn(pod.getSpec().getNodeName()),
                    "--",
                    "python3",
                    "-c",
                    SIGNAL,
                    containerId(pod, container),
                    signal);
            return true;
        } catch (IllegalStateException e) {
            if (!e.getMessage().contains(":\n" + NO_PROCESS)) { // the message quotes the program, too
                throw e;
            }
            return false;
        }
    }

    /** The pod as it stands now; as it was, when it is gone. */
    private Pod current(Pod pod) {
        return Optional.ofNullable(cluster.client().resource(pod).get())
                .filter(now ->
                        now.getMetadata().getUid().equals(pod.getMetadata().getUid()))
                .orElse(pod);
    }

    /**
     * Kills a program of a pod again and again, as soon as kubelet has started it, for so many seconds. Prints a line
     * for each time.
     *
     * @param program a word of its command line
     */
    public Watching keepKilled(Pod pod, String program, int seconds) {
        return kubectl.watch(
                "exec",
                shellOn(pod.getSpec().getNodeName()),
                "--",
                "python3",
                "-uc",
                KEEP_KILLED,
                pod.getMetadata().getUid(),
                program,
                Integer.toString(seconds));
    }

    /** Runs a command as root among the files of a node, and returns what it printed. */
    public String run(String node, String... words) {
        return kubectl.run(Stream.concat(
                        Stream.of("exec", shellOn(node), "--", "nsenter", "--target", "1", "--mount", "--"),
                        Stream.of(words))
                .toArray(String[]::new));
    }

    /** Waits until pods may go to every node. */
    public void awaitWhole() {
        Awaitility.await("no node is lost")
                .until(() -> cluster.client().nodes().list().getItems().stream()
                        .allMatch(node -> node.getSpec().getTaints().isEmpty()));
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
        kubectl.run("wait", "--for=condition=Ready", "pod", "--all", "--timeout=4m");
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

    private static String shellOn(String node) {
        return "shell-" + node;
    }

    private static String containerId(Pod pod, String container) {
        return Stream.concat(
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
