package dev.quiver.lifecycle.log;

import java.io.IOException;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.core.JsonGenerator;
import net.logstash.logback.composite.JsonWritingUtils;
import net.logstash.logback.composite.loggingevent.MessageJsonProvider;

import dev.quiver.lifecycle.text.PrintableText;

/** The field {@code message} of a line that is a JSON object. */
public final class PrintableMessageField extends MessageJsonProvider {

    @Override
    public void writeTo(JsonGenerator line, ILoggingEvent event) throws IOException {
        JsonWritingUtils.writeStringField(line, "message", PrintableText.of(event.getFormattedMessage()));
    }
}
