package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;

/** kube-score finds nothing in the rendered chart but what charts/DESIGN.md gives a reason for. */
class ChartScoreIT {

    /** A chart that kube-score calls without any complaint. */
    private static final int FINE = 10;

    private static final String DEPLOYMENT = "Deployment quiver-operator: ";
    private static final String REDIS = "StatefulSet quiver-redis: ";
    private static final String HISTORY = "StatefulSet quiver-history: ";
    private static final String JOB = "Job quiver-uninstall: ";
    private static final String TEST = "Pod quiver-test: ";

    private static final Set<String> EXCEPTIONS = Set.of(
            DEPLOYMENT + "container-image-pull-policy",
            DEPLOYMENT + "pod-networkpolicy",
            DEPLOYMENT + "deployment-replicas",
            REDIS + "container-image-pull-policy",
            REDIS + "container-ephemeral-storage-request-and-limit",
            REDIS + "statefulset-has-servicename",
            HISTORY + "container-image-pull-policy",
            HISTORY + "pod-networkpolicy",
            HISTORY + "statefulset-has-servicename",
            JOB + "container-image-pull-policy",
            JOB + "pod-networkpolicy",
            TEST + "container-image-pull-policy",
            TEST + "pod-networkpolicy");

    @TempDir
    private Path folder;

    @Test
    void findsNothingButTheNamedExceptions() throws Exception {
        assertThat(findings()).isEqualTo(new TreeSet<>(EXCEPTIONS));
    }

    @Test
    void aStandbyAndAVolumeBringNothingNew() throws Exception {
        Set<String> found = findings("operator.replicas=2", "redis.persistence.enabled=true");
        found.removeAll(EXCEPTIONS);
        assertThat(found).isEmpty();
    }

    /** Object and check of all that is not fine. */
    private Set<String> findings(String... values) throws Exception {
        String program = Command.of(
                        Repository.root().resolve("e2e/lib/kube-score").toString())
                .within(Duration.ofMinutes(30))
                .run();
        Path chart = folder.resolve("chart.yaml");
        Files.writeString(chart, Helm.found().text(values));
        // It ends with 1 where it finds something.
        String json = Command.of(
                        "bash",
                        "-c",
                        "\"$0\" score \"$1\" --output-format json --kubernetes-version v1.30"
                                + " --ignore-container-cpu-limit --enable-optional-test container-seccomp-profile"
                                + " --enable-optional-test container-ports-check || [ $? = 1 ]",
                        program,
                        chart.toString())
                .run();
        Set<String> found = new TreeSet<>();
        for (JsonNode object : JsonMapper.builder().build().readTree(json)) {
            for (JsonNode check : object.path("checks")) {
                if (!check.path("skipped").asBoolean() && check.path("grade").asInt() < FINE) {
                    List<String> name =
                            List.of(object.path("object_name").asText().split("/"));
                    found.add(object.path("type_meta").path("kind").asText() + " " + name.getLast() + ": "
                            + check.path("check").path("id").asText());
                }
            }
        }
        return found;
    }
}
