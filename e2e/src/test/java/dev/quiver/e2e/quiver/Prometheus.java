package dev.quiver.e2e.quiver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

import dev.quiver.e2e.cluster.Cluster;
import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;

/**
 * A Prometheus of this machine that scrapes an installation as the chart's monitors say, each second. It knows the pods
 * that are there when it starts. Its rules are the chart's alerts, which wait for seconds instead of minutes. Closing it
 * ends it.
 */
public final class Prometheus implements AutoCloseable {

    private static final Path CHART = Repository.root().resolve("charts/quiver");
    private static final String GROUP = "monitoring.coreos.com/v1";

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final Path folder;
    private final int port;
    private final List<GenericKubernetesResource> objects;

    private Prometheus(Process process, Path folder, int port, List<GenericKubernetesResource> objects) {
        this.process = process;
        this.folder = folder;
        this.port = port;
        this.objects = objects;
    }

    /** Starts one; skips the test where there is none, or no way from here to the pods. */
    public static Prometheus of(Cluster cluster) {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "prometheus"))),
                "prometheus is missing: apt-get install prometheus");
        Assumptions.assumeTrue(
                cluster.description().startsWith("local"), "missing: a route from this machine to pods of the cluster");
        try {
            Path folder = Files.createTempDirectory("prometheus");
            List<GenericKubernetesResource> objects = rendered();
            Path rules = folder.resolve("alerts.yaml");
            Files.writeString(
                    rules,
                    Files.readString(CHART.resolve("files/monitoring/alerts.yaml"))
                            .replaceAll("(?m)^( +for): \\d+m$", "$1: 3s"));
            Path config = folder.resolve("prometheus.yaml");
            Files.writeString(
                    config,
                    new ScrapeConfig(cluster.client())
                            .of(
                                    objects.stream()
                                            .filter(it -> it.getKind().endsWith("Monitor"))
                                            .toList(),
                                    rules));
            int port = freePort();
            Process process = new ProcessBuilder(
                            "prometheus",
                            "--config.file=" + config,
                            "--storage.tsdb.path=" + folder.resolve("data"),
                            "--web.listen-address=127.0.0.1:" + port)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            return new Prometheus(process, folder, port, objects);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<GenericKubernetesResource> rendered() {
        String yaml = Command.of(
                        Repository.built("helm").toString(),
                        "template",
                        "quiver",
                        CHART.toString(),
                        "--namespace",
                        Installation.NAMESPACE,
                        "--kube-version",
                        "1.30.0",
                        "--set",
                        "image.registry=localhost,monitoring.enabled=true",
                        "--show-only",
                        "templates/monitoring.yaml")
                .run();
        return Stream.of(yaml.split("(?m)^---$"))
                .filter(text -> text.contains("kind:"))
                .map(text -> Serialization.unmarshal(text, GenericKubernetesResource.class))
                .filter(it -> it.getApiVersion().equals(GROUP) || it.getKind().equals("ConfigMap"))
                .toList();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Each expression of each panel of the chart's dashboards, with all namespaces and pools. */
    public List<String> expressions() {
        List<String> expressions = new ArrayList<>();
        for (GenericKubernetesResource map : objects) {
            if (map.getKind().equals("ConfigMap")) {
                JsonNode data = Serialization.unmarshal(Serialization.asJson(map), JsonNode.class)
                        .get("data");
                data.forEach(text -> Serialization.unmarshal(text.asText(), JsonNode.class)
                        .findValuesAsText("expr")
                        .forEach(expression -> expressions.add(expression
                                .replace("$__rate_interval", "20s")
                                .replace("$namespace", ".+")
                                .replace("$pool", ".+"))));
            }
        }
        return expressions;
    }

    /** The series that an expression has now. */
    public List<JsonNode> query(String expression) {
        return list(ask("query?query=" + encoded(expression)).at("/data/result"));
    }

    /** The labels of each series of the product, {@code __name__} included. */
    public List<JsonNode> series() {
        return list(
                ask("series?match[]=" + encoded("{__name__=~\"quiver_.+\"}")).get("data"));
    }

    /** Type, help and unit of each metric that was scraped, by its name; a list for each. */
    public JsonNode metadata() {
        return ask("metadata").get("data");
    }

    /** The names of the alerts that fire. */
    public List<String> firing() {
        return list(ask("alerts").at("/data/alerts")).stream()
                .filter(alert -> alert.get("state").asText().equals("firing"))
                .map(alert -> alert.at("/labels/alertname").asText())
                .toList();
    }

    /** Waits until each monitor has a target that answers. */
    public void awaitTargets() {
        long monitors =
                objects.stream().filter(it -> it.getKind().endsWith("Monitor")).count();
        Awaitility.await("each monitor finds something")
                .failFast(() -> assertThat(process.isAlive()).as(this::log).isTrue())
                .ignoreExceptions()
                .until(() -> query("count by (job) (up == 1)").size() == monitors);
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> items = new ArrayList<>();
        array.forEach(items::add);
        return items;
    }

    private JsonNode ask(String path) {
        try {
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/" + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(path + ": " + answer.body());
            }
            return Serialization.unmarshal(answer.body(), JsonNode.class);
        } catch (IOException e) {
            throw new UncheckedIOException("Prometheus: " + log(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
            Command.of("rm", "-rf", folder.toString()).run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        http.close();
    }
}
