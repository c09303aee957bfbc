package dev.quiver.supervisor;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.fieldnames.LogstashCommonFieldNames;
import net.logstash.logback.fieldnames.LogstashFieldNames;

import dev.quiver.lifecycle.log.PrintableMessage;
import dev.quiver.lifecycle.log.PrintableMessageField;
import dev.quiver.lifecycle.log.PrintableStack;

/**
 * Logs to stdout, as text or with {@code QUIVER_LOG_FORMAT=json} one object a line; the level is
 * {@code QUIVER_LOG_LEVEL}, INFO by default. The text of a task or a tenant is shown as it is. The last lines are kept
 * for the record of runs ({@link WorkerLog}).
 *
 * <p>In code instead of XML: the parser would cost a tenth of the time to the first answer of Redis.
 */
public final class LogConfiguration extends ContextAwareBase implements Configurator {

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        ConsoleAppender<ILoggingEvent> stdout = new ConsoleAppender<>();
        stdout.setContext(context);
        stdout.setName("stdout");
        stdout.setEncoder("json".equalsIgnoreCase(System.getenv("QUIVER_LOG_FORMAT")) ? json(context) : text(context));
        stdout.start();
        var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(stdout);
        WorkerLog record = new WorkerLog();
        record.setContext(context);
        record.start();
        root.addAppender(record);
        context.getLogger("dev.quiver").setLevel(Level.toLevel(System.getenv("QUIVER_LOG_LEVEL"), Level.INFO));
        // What a broken connection means is said once, by StoreTrouble.
        context.getLogger("io.lettuce").setLevel(Level.ERROR);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** The fields that log collectors know; those of the operator's lines are the same. */
    static Encoder<ILoggingEvent> json(LoggerContext context) {
        LogstashFieldNames names = new LogstashFieldNames();
        names.setTimestamp("time");
        names.setLogger("logger");
        names.setMessage(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
        names.setStackTrace("stack");
        names.setThread(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
        names.setLevelValue(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
        names.setVersion(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
        LogstashEncoder encoder = new LogstashEncoder();
        encoder.setContext(context);
        encoder.setTimeZone("UTC");
        encoder.setFieldNames(names);
        encoder.addProvider(new PrintableMessageField());
        PrintableStack stack = new PrintableStack();
        stack.start();
        encoder.setThrowableConverter(stack);
        encoder.setIncludeContext(false);
        encoder.setIncludeTags(false);
        encoder.setIncludeMdc(false);
        encoder.setIncludeStructuredArguments(false);
        encoder.setFindAndRegisterJacksonModules(false);
        encoder.start();
        return encoder;
    }

    static Encoder<ILoggingEvent> text(LoggerContext context) {
        PatternLayout layout = new PatternLayout();
        layout.setContext(context);
        layout.getInstanceConverterMap().put("printable", PrintableMessage::new);
        layout.getInstanceConverterMap().put("stack", PrintableStack::new);
        layout.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0} - %printable%n%stack");
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        return encoder;
    }
}
