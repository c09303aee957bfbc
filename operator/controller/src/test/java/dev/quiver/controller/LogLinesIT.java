package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

/** What the program writes with {@code QUIVER_LOG_FORMAT=json}: a collector takes each line for one object. */
class LogLinesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Test
    void eachLineIsOneObjectWithTheMessageAsAPersonReadsIt() throws Exception {
        List<JsonNode> lines = written(Map.of("QUIVER_LOG_FORMAT", "json", "QUIVER_TENANCY", "none"));
        assertThat(lines).isNotEmpty().allSatisfy(line -> {
            assertThat(line.isObject()).isTrue();
            assertThat(line.path("formattedMessage").asText()).isNotBlank();
            assertThat(line.has("arguments")).as("the message holds them").isFalse();
            assertThat(line.path("level").asText()).isIn("INFO", "WARN", "ERROR");
        });
        assertThat(lines.getLast().path("formattedMessage").asText()).startsWith("QUIVER_TENANCY=none ");
    }

    /** All that a start writes which ends by itself, on both streams. */
    private static List<JsonNode> written(Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Dlogback.configurationFile=logback.xml",
                "dev.quiver.controller.Main");
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
