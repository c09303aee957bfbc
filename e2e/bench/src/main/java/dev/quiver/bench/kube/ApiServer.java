package dev.quiver.bench.kube;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionStatus;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;

/** etcd and kube-apiserver as processes of this machine, with our resources applied; no nodes. */
public final class ApiServer implements Closeable {

    private static final Path CRDS = Path.of("crds/src/main/resources/META-INF/quiver");

    private final Path repository;
    private final Path folder;
    private final Path kubeconfig;
    private final KubernetesClient client;

    private ApiServer(Path repository, Path folder, Path kubeconfig) throws IOException {
        this.repository = repository;
        this.folder = folder;
        this.kubeconfig = kubeconfig;
        this.client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build();
    }

    /** Starts one that ends with this JVM, and waits until it serves our resources. */
    public static ApiServer start(Lab lab) throws Exception {
        Path folder = lab.folder("apiserver");
        List<String> up = List.of(
                script(lab.repository()),
                "up",
                folder.toString(),
                "" + ProcessHandle.current().pid());
        ContentCache.run(lab.repository(), up);
        ApiServer server = new ApiServer(lab.repository(), folder, folder.resolve("kubeconfig"));
        try (Stream<Path> files = Files.list(lab.repository().resolve(CRDS))) {
            for (Path file : files.filter(it -> it.toString().endsWith(".yaml")).toList()) {
                try (var yaml = Files.newInputStream(file)) {
                    server.client.load(yaml).serverSideApply();
                }
            }
        }
        server.client
                .apiextensions()
                .v1()
                .customResourceDefinitions()
                .resources()
                .forEach(definition -> definition.waitUntilCondition(
                        it -> it != null && established(it), 20, java.util.concurrent.TimeUnit.SECONDS));
        return server;
    }

    /** Right after it was made its status, or the conditions in it, may not be there yet. */
    private static boolean established(CustomResourceDefinition definition) {
        return Optional.ofNullable(definition.getStatus())
                .map(CustomResourceDefinitionStatus::getConditions)
                .orElse(List.of())
                .stream()
                .anyMatch(condition -> condition.getType().equals("Established")
                        && condition.getStatus().equals("True"));
    }

    private static String script(Path repository) {
        return repository.resolve("e2e/cluster/apiserver").toString();
    }

    /** As the cluster's administrator. */
    public KubernetesClient client() {
        return client;
    }

    /** For other processes. */
    public Path kubeconfig() {
        return kubeconfig;
    }

    /** The counters of requests, as of now. */
    public RequestCount requests() {
        return RequestCount.parse(client.raw("/metrics"));
    }

    @Override
    public void close() throws IOException {
        client.close();
        try {
            ContentCache.run(repository, List.of(script(repository), "down", folder.toString()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // it ends with this JVM all the same
        }
    }
}
