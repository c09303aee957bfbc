package dev.quiver.lifecycle.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

import dev.quiver.lifecycle.text.PrintableText;

/** The stack of an exception, whose message may be a tenant's: {@code %stack} in a pattern. */
public final class PrintableStack extends ThrowableProxyConverter {

    @Override
    public String convert(ILoggingEvent event) {
        return PrintableText.of(super.convert(event));
    }
}
