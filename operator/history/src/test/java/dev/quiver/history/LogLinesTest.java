package dev.quiver.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

/** The lines of the log that the program's own configuration makes. */
class LogLinesTest {

    private final LoggerContext context = new LoggerContext();

    private String line(String format) throws JoranException {
        context.putProperty("QUIVER_LOG_FORMAT", format);
        context.setMDCAdapter(new LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        URL shipped = Main.class.getResource("/logback.xml");
        configurator.doConfigure(shipped);
        LoggingEvent event = new LoggingEvent(
                "x",
                context.getLogger("dev.quiver.X"),
                Level.WARN,
                "run {} failed",
                new IllegalStateException("\u001b[2J\u200b"),
                new Object[] {"a\u202eb\u007f"});
        var appender = (OutputStreamAppender<ILoggingEvent>)
                context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender(format);
        return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
    }

    @Test
    void anObjectEscapesWhatATenantWroteInMessageAndStack() throws Exception {
        JsonNode line = JsonMapper.builder().build().readTree(line("json"));
        List<String> fields = line.properties().stream().map(Map.Entry::getKey).toList();
        assertThat(fields).containsExactlyInAnyOrder("time", "level", "logger", "message", "stack");
        assertThat(line.path("message").asText()).isEqualTo("run a\\u202eb\\u007f failed");
        assertThat(line.path("stack").asText()).startsWith("java.lang.IllegalStateException: \\u001b[2J\\u200b\n\tat ");
    }

    @Test
    void aLineForPeopleEscapesItAsWell() throws Exception {
        assertThat(line("text"))
                .contains(" run a\\u202eb\\u007f failed\njava.lang.IllegalStateException: \\u001b[2J\\u200b\n\tat ");
    }
}
