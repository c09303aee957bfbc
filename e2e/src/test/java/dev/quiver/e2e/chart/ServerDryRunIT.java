package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.apiserver.ServerProcess;
import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;

/**
 * Chart and examples as a dry run of kubectl on an API server, whose validation is strict and whose namespaces are
 * restricted. The suite asks the current Kubernetes, and {@code e2e/run soak} asks the oldest one.
 */
@ExtendWith(ApiServer.class)
class ServerDryRunIT {

    private static final Map<String, String> RESTRICTED = Map.of(
            "pod-security.kubernetes.io/enforce", "restricted",
            "pod-security.kubernetes.io/warn", "restricted");

    @TempDir
    private Path folder;

    private final ServerProcess server;

    ServerDryRunIT(ServerProcess server) {
        this.server = server;
    }

    @BeforeAll
    static void hasTheNamespacesOfTheChart(KubernetesClient client) {
        Stream.of("quiver-system", "team-a", "team-b")
                .forEach(name -> client.resource(new NamespaceBuilder()
                                .withNewMetadata()
                                .withName(name)
                                .withLabels(RESTRICTED)
                                .endMetadata()
                                .build())
                        .serverSideApply());
    }

    /** Or the soak would prove another release than the one that it names. */
    @Test
    void theServerIsOfTheReleaseThatIsAskedFor(KubernetesClient client) {
        String minor = System.getProperty("quiver.kubernetes.minor");
        String asked = minor == null ? "v1." : "v1." + minor + ".0";
        assertThat(client.getKubernetesVersion().getGitVersion()).startsWith(asked);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "operator.watchNamespaces={team-a,team-b}",
                "operator.replicas=2 redis.persistence.enabled=true history.persistence.enabled=true"
                        + " redis.podDisruptionBudget.enabled=true networkPolicy.workers.namespaces={team-a,team-b}"
                        + " history.readers[0].kind=Group history.readers[0].name=team-a"
                        + " history.readers[0].apiGroup=rbac.authorization.k8s.io commonLabels.team=a",
                "redis.bundled=false redis.external.secretName=store history.database.url=jdbc:postgresql://db:5432/q"
                        + " history.database.existingSecret=db history.replicas=2"
            })
    void theChartIsTakenAsItIs(String values) throws IOException {
        String[] set = values.isEmpty() ? new String[0] : values.split(" ");
        Path chart = folder.resolve("chart.yaml");
        Files.writeString(chart, Helm.found().text(set));
        assertThat(dryRun(chart))
                .contains("customresourcedefinition.apiextensions.k8s.io/tasksets.quiver.dev")
                .contains("deployment.apps/quiver-operator serverside-applied (server dry run)")
                .doesNotContain("Warning");
    }

    @ParameterizedTest
    @MethodSource("examples")
    void eachExampleIsTakenAsItIs(Path example) {
        assertThat(dryRun(example))
                .contains(".quiver.dev/")
                .contains(" serverside-applied (server dry run)")
                .doesNotContain("Warning");
    }

    private static List<Path> examples() throws IOException {
        try (Stream<Path> files = Files.list(Repository.root().resolve("crds/examples"))) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    /** The words of kubectl on both streams; it fails where the server refuses an object. */
    private String dryRun(Path file) {
        return Command.of(
                        "sh",
                        "-c",
                        "\"$0\" \"$@\" 2>&1",
                        Repository.built("kubectl").toString(),
                        "--kubeconfig=" + server.kubeconfigFile(),
                        "apply",
                        "--server-side",
                        "--force-conflicts",
                        "--dry-run=server",
                        "--validate=strict",
                        "--filename=" + file)
                .run();
    }
}
