package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.MDCUtils;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.TaskSet;

/** The lines that the program writes with {@code QUIVER_LOG_FORMAT=json}: a collector takes each line for one object. */
class LogLinesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void eachLineIsOneObjectWithTheMessageAsAPersonReadsIt() throws Exception {
        List<JsonNode> lines = written(Map.of("QUIVER_LOG_FORMAT", "json", "QUIVER_TENANCY", "none"));
        assertThat(lines).isNotEmpty().allSatisfy(line -> {
            assertThat(line.isObject()).isTrue();
            assertThat(fields(line)).containsExactly("time", "logger", "level", "message");
            assertThat(Instant.parse(line.path("time").asText())).isBeforeOrEqualTo(Instant.now());
            assertThat(line.path("message").asText()).isNotBlank();
            assertThat(line.path("level").asText()).isIn("INFO", "WARN", "ERROR");
        });
        assertThat(lines.getLast().path("message").asText()).startsWith("QUIVER_TENANCY=none ");
    }

    @Test
    void aLineOfAReconcileNamesTheResourceAndHoldsTheStack() throws Exception {
        JsonNode line = written(Map.of("QUIVER_LOG_FORMAT", "json"), ReconcileLine.class)
                .getLast();
        assertThat(fields(line))
                .containsExactlyInAnyOrder("time", "level", "logger", "message", "stack", "namespace", "name", "kind");
        assertThat(line.path("namespace").asText()).isEqualTo("team");
        assertThat(line.path("name").asText()).isEqualTo("specs");
        assertThat(line.path("kind").asText()).isEqualTo("TaskSet");
        assertThat(line.path("logger").asText()).isEqualTo(ReconcileLine.class.getName());
        assertThat(line.path("message").asText()).isEqualTo("3 of 5");
        assertThat(line.path("stack").asText()).startsWith("java.lang.IllegalStateException: no\n\tat ");
    }

    @Test
    void aTenantsCharactersAreEscapedInMessageAndStack() throws Exception {
        JsonNode line =
                written(Map.of("QUIVER_LOG_FORMAT", "json"), HostileLine.class).getLast();
        assertThat(line.path("message").asText()).isEqualTo("task a\\u202eb\\u007f failed");
        assertThat(line.path("stack").asText()).startsWith("java.lang.IllegalStateException: \\u001b[2J\\u200b\n\tat ");
    }

    /** Logs what a tenant wrote; ends with 2. */
    static final class HostileLine {

        private HostileLine() {}

        public static void main(String[] args) {
            LoggerFactory.getLogger(HostileLine.class)
                    .error("task {} failed", "a\u202eb\u007f", new IllegalStateException("\u001b[2J\u200b"));
            System.exit(2);
        }
    }

    /** Logs as a reconcile does, with what the SDK puts into the MDC around it; ends with 2. */
    static final class ReconcileLine {

        private ReconcileLine() {}

        public static void main(String[] args) {
            TaskSet set = new TaskSet();
            set.setMetadata(new ObjectMetaBuilder()
                    .withNamespace("team")
                    .withName("specs")
                    .withUid("u")
                    .withGeneration(1L)
                    .withResourceVersion("2")
                    .build());
            MDCUtils.addResourceInfo(set);
            LoggerFactory.getLogger(ReconcileLine.class).error("{} of {}", 3, 5, new IllegalStateException("no"));
            System.exit(2);
        }
    }

    private static List<String> fields(JsonNode line) {
        return line.properties().stream().map(Map.Entry::getKey).toList();
    }

    private static List<JsonNode> written(Map<String, String> environment) throws IOException, InterruptedException {
        return written(environment, Main.class);
    }

    /** All that a start writes which ends by itself, on both streams. */
    private static List<JsonNode> written(Map<String, String> environment, Class<?> main)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Dlogback.configurationFile=logback.xml",
                main.getName());
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(text).isEqualTo(2);
        return text.lines().map(LogLinesIT::object).toList();
    }

    private static JsonNode object(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new AssertionError("not an object: " + line, e);
        }
    }
}
