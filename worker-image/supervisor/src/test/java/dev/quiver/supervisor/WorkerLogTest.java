package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.history.HistoryBounds;

class WorkerLogTest {

    private final LoggerContext context = new LoggerContext();
    private final WorkerLog log = new WorkerLog();

    private void say(String message, Throwable problem) {
        LoggingEvent event =
                new LoggingEvent("x", context.getLogger("dev.quiver.X"), Level.WARN, message, problem, new Object[0]);
        event.setTimeStamp(1_000);
        log.append(event);
    }

    private String tail() {
        return new String(log.tail(), StandardCharsets.UTF_8);
    }

    @Test
    void aLineHasItsTimeItsLevelAndItsMessage() {
        say("slot 3 is away", new IllegalStateException("broken"));
        assertThat(tail())
                .isEqualTo("1970-01-01T00:00:01Z WARN slot 3 is away: java.lang.IllegalStateException: broken\n");
    }

    @Test
    void whatATaskWroteIsEscaped() {
        say("a\u202eb\u007f", new IllegalStateException("\u001b[2J\u0085"));
        assertThat(tail())
                .isEqualTo("1970-01-01T00:00:01Z WARN a\\u202eb\\u007f:"
                        + " java.lang.IllegalStateException: \\u001b[2J\\u0085\n");
    }

    @Test
    void theLastWholeLinesAreKept() {
        for (int i = 0; i < 1_000; i++) {
            say("line " + i, null);
        }
        assertThat(tail())
                .hasSizeLessThanOrEqualTo(HistoryBounds.TAIL_BYTES)
                .startsWith("1970")
                .endsWith("line 999\n");
        assertThat(tail().length()).isGreaterThan(HistoryBounds.TAIL_BYTES - 100);
    }

    @Test
    void ofALineThatIsTooLongTheNextOneTakesThePlace() {
        say("x".repeat(2 * HistoryBounds.TAIL_BYTES), null);
        assertThat(log.tail()).hasSizeGreaterThan(HistoryBounds.TAIL_BYTES);
        say("short", null);
        assertThat(tail()).isEqualTo("1970-01-01T00:00:01Z WARN short\n");
    }
}
