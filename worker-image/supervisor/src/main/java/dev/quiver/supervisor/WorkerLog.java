package dev.quiver.supervisor;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.text.PrintableText;

/** Keeps the last lines of this process' log for the record of runs. Thread-safe. */
final class WorkerLog extends UnsynchronizedAppenderBase<ILoggingEvent> {

    private static final String NAME = "record";
    private static final byte[] NOTHING = {};

    private final Deque<byte[]> lines = new ArrayDeque<>();
    private int bytes;

    WorkerLog() {
        setName(NAME);
    }

    /** The last lines of this process; none where its log was configured otherwise. */
    static byte[] ofThisProcess() {
        return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                        && context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender(NAME)
                                instanceof WorkerLog log
                ? log.tail()
                : NOTHING;
    }

    @Override
    protected void append(ILoggingEvent event) {
        Instant time = Instant.ofEpochMilli(event.getTimeStamp()).truncatedTo(ChronoUnit.MILLIS);
        String line = time + " " + event.getLevel() + " " + event.getFormattedMessage();
        if (event.getThrowableProxy() != null) {
            line += ": " + event.getThrowableProxy().getClassName() + ": "
                    + event.getThrowableProxy().getMessage();
        }
        byte[] text = (PrintableText.of(line) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (lines) {
            lines.addLast(text);
            bytes += text.length;
            // One that is longer than all stays until the next one comes: its end is what is kept of it.
            while (bytes > HistoryBounds.TAIL_BYTES && lines.size() > 1) {
                bytes -= lines.removeFirst().length;
            }
        }
    }

    /** Whole lines, at most {@link HistoryBounds#TAIL_BYTES}; of a longer one all of it. */
    byte[] tail() {
        synchronized (lines) {
            ByteArrayOutputStream all = new ByteArrayOutputStream(bytes);
            lines.forEach(all::writeBytes);
            return all.toByteArray();
        }
    }
}
