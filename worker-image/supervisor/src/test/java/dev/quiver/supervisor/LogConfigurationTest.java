package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

class LogConfigurationTest {

    @Test
    void aLineHasTheFieldsThatCollectorsKnowAndNoOther() throws Exception {
        LoggerContext context = new LoggerContext();
        LoggingEvent event = new LoggingEvent(
                "x",
                context.getLogger("dev.quiver.X"),
                Level.WARN,
                "slot {}",
                new IllegalStateException("broken"),
                new Object[] {3});
        event.setInstant(Instant.parse("2026-01-02T03:04:05.678Z"));
        JsonNode line = JsonMapper.builder()
                .build()
                .readTree(LogConfiguration.json(context).encode(event));
        assertThat(List.copyOf(line.properties().stream()
                        .map(java.util.Map.Entry::getKey)
                        .toList()))
                .containsExactlyInAnyOrder("time", "level", "logger", "message", "stack");
        assertThat(line.path("time").asText()).isEqualTo("2026-01-02T03:04:05.678Z");
        assertThat(line.path("level").asText()).isEqualTo("WARN");
        assertThat(line.path("logger").asText()).isEqualTo("dev.quiver.X");
        assertThat(line.path("message").asText()).isEqualTo("slot 3");
        assertThat(line.path("stack").asText()).startsWith("java.lang.IllegalStateException: broken\n\tat ");
    }

    @Test
    void whatATaskWroteIsEscapedInMessageAndStackOfBothFormats() throws Exception {
        LoggerContext context = new LoggerContext();
        LoggingEvent event = new LoggingEvent(
                "x",
                context.getLogger("dev.quiver.X"),
                Level.WARN,
                "task {}",
                new IllegalStateException("\u001b[2J\u200b"),
                new Object[] {"a\u202eb\u007f"});
        JsonNode line = JsonMapper.builder()
                .build()
                .readTree(LogConfiguration.json(context).encode(event));
        assertThat(line.path("message").asText()).isEqualTo("task a\\u202eb\\u007f");
        assertThat(line.path("stack").asText()).startsWith("java.lang.IllegalStateException: \\u001b[2J\\u200b\n\tat ");
        assertThat(new String(LogConfiguration.text(context).encode(event), StandardCharsets.UTF_8))
                .contains(" - task a\\u202eb\\u007f\njava.lang.IllegalStateException: \\u001b[2J\\u200b\n\tat ");
    }
}
