package dev.quiver.bench.kube;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;

/**
 * A cluster with the chart installed. It is the one that {@code QUIVER_E2E_KUBECONFIG} names, else a local one with two
 * nodes, which ends with this JVM.
 */
public final class Cluster implements Closeable {

    private static final String NAME = "bench";
    private static final String EXISTING = "QUIVER_E2E_KUBECONFIG";

    private final Lab lab;
    private final boolean own;
    private final KubernetesClient client;

    private Cluster(Lab lab, boolean own, Path kubeconfig) {
        this.lab = lab;
        this.own = own;
        this.client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build();
    }

    /** Finds or starts one, and installs the chart and images of the tree. */
    public static Cluster open(Lab lab) throws Exception {
        String existing = System.getenv(EXISTING);
        Path kubeconfig = existing == null ? start(lab) : Path.of(existing);
        Cluster cluster = new Cluster(lab, existing == null, kubeconfig);
        try {
            Path bin =
                    Path.of(lines(script(lab, "e2e/cluster/build", List.of())).getLast());
            ContentCache.run(
                    lab.repository(),
                    List.of(lab.repository().resolve("e2e/demo/install").toString()),
                    Map.of(
                            "KUBECONFIG", kubeconfig.toString(),
                            "HELM", bin.resolve("helm").toString(),
                            "KUBECTL", bin.resolve("kubectl").toString()));
            return cluster;
        } catch (Exception failure) {
            cluster.close();
            throw failure;
        }
    }

    private static Path start(Lab lab) throws Exception {
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new MissingPartException(
                    "a cluster: set " + EXISTING + " to a kubeconfig, or be root, which the local cluster needs");
        }
        ContentCache.run(lab.repository(), List.of("make", "-s", "-C", "worker-image/agent", "all"));
        List<String> archives = lines(script(lab, "e2e/images/build", List.of("all"))).stream()
                .filter(line -> line.endsWith(".tar"))
                .toList();
        String pid = "" + ProcessHandle.current().pid();
        Path kubeconfig = Path.of(lines(script(lab, "e2e/cluster/cluster", List.of("up", NAME, "--owner", pid)))
                .getLast());
        List<String> load = new ArrayList<>(List.of("load", NAME));
        load.addAll(archives);
        script(lab, "e2e/cluster/cluster", load);
        return kubeconfig;
    }

    private static String script(Lab lab, String path, List<String> arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(lab.repository().resolve(path).toString()));
        command.addAll(arguments);
        return ContentCache.run(lab.repository(), command);
    }

    private static List<String> lines(String said) {
        return said.strip().lines().toList();
    }

    /** A client with the administrator's rights. */
    public KubernetesClient client() {
        return client;
    }

    /** The cluster as text. */
    public String described() {
        return "Kubernetes %s, %d nodes, %s"
                .formatted(
                        client.getKubernetesVersion().getGitVersion(),
                        client.nodes().list().getItems().size(),
                        own ? "local, all of it on this machine" : "existing");
    }

    @Override
    public void close() throws IOException {
        client.close();
        if (own) {
            try {
                script(lab, "e2e/cluster/cluster", List.of("down", NAME));
            } catch (IOException failure) {
                throw failure;
            } catch (Exception interrupted) {
                Thread.currentThread().interrupt(); // it ends with this JVM all the same
            }
        }
    }
}
