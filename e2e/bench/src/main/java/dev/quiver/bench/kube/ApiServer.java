package dev.quiver.bench.kube;

import java.io.Closeable;
import java.nio.file.Path;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

import dev.quiver.crds.apiserver.Definitions;
import dev.quiver.crds.apiserver.ServerProcess;

/** The tests' API server and etcd with our resources applied; no nodes. Both processes end with this JVM. */
public final class ApiServer implements Closeable {

    private final ServerProcess server;
    private final KubernetesClient client;

    private ApiServer(ServerProcess server) {
        this.server = server;
        this.client = new KubernetesClientBuilder().withConfig(server.access()).build();
    }

    /** Starts one and waits until it serves our resources. */
    public static ApiServer start() {
        ApiServer server = new ApiServer(ServerProcess.start());
        Definitions.install(server.client);
        return server;
    }

    /** A client with the rights of the cluster's administrator. */
    public KubernetesClient client() {
        return client;
    }

    /** The kubeconfig for other processes. */
    public Path kubeconfig() {
        return server.kubeconfigFile();
    }

    /** The counters of requests, as of now. */
    public RequestCount requests() {
        return RequestCount.parse(client.raw("/metrics"));
    }

    /** Its own processor time until now, without that of etcd. */
    public double cpuSeconds() {
        return client.raw("/metrics")
                .lines()
                .filter(line -> line.startsWith("process_cpu_seconds_total "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
