package dev.quiver.lifecycle.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

import dev.quiver.lifecycle.text.PrintableText;

/** The message of a line for people, {@code %printable} in a pattern. */
public final class PrintableMessage extends ClassicConverter {

    @Override
    public String convert(ILoggingEvent event) {
        return PrintableText.of(event.getFormattedMessage());
    }
}
