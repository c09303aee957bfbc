package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;

/** The chart's monitors and rules on a real API server with the Prometheus operator's own resource definitions. */
@ExtendWith(ApiServer.class)
class MonitorKindsIT {

    private final KubernetesClient client;

    MonitorKindsIT(KubernetesClient client) {
        this.client = client;
    }

    @BeforeAll
    static void hasTheKinds(KubernetesClient client) throws IOException {
        Path folder = Path.of(
                Command.of(Repository.root().resolve("e2e/lib/monitor-crds").toString())
                        .within(Duration.ofMinutes(30))
                        .run());
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                client.resource(Serialization.unmarshal(Files.readString(file), CustomResourceDefinition.class))
                        .serverSideApply();
            }
        }
        await("the API server serves the new kinds")
                .atMost(Duration.ofMinutes(2))
                .until(() -> client.hasApiGroup("monitoring.coreos.com", false));
    }

    private static List<GenericKubernetesResource> monitors(String... values) {
        return Helm.found().render(values).objects().stream()
                .filter(object -> object.getApiVersion().startsWith("monitoring.coreos.com/"))
                .toList();
    }

    private void apply(GenericKubernetesResource object) {
        object.getMetadata().setNamespace(client.getNamespace());
        client.resource(object).fieldValidation(Validation.STRICT).serverSideApply();
    }

    @Test
    void theApiServerTakesEachOfThem() {
        List<GenericKubernetesResource> all = monitors(
                "monitoring.enabled=true",
                "monitoring.labels.release=prom",
                "monitoring.runbookUrl=https://docs.example.com/RUNBOOKS.md");
        assertThat(all).extracting(GenericKubernetesResource::getKind).contains("ServiceMonitor", "PodMonitor");
        await("each kind is served").atMost(Duration.ofMinutes(2)).untilAsserted(() -> all.forEach(this::apply));
        monitors("monitoring.enabled=true", "operator.watchNamespaces[0]=a").forEach(this::apply);
    }

    @Test
    void andWouldRefuseAFieldThatIsNotThere() {
        theApiServerTakesEachOfThem();
        GenericKubernetesResource monitor = monitors("monitoring.enabled=true").getFirst();
        monitor.setAdditionalProperty("spec", Map.of("selektor", "x"));
        assertThatThrownBy(() -> apply(monitor)).isInstanceOf(KubernetesClientException.class);
    }
}
