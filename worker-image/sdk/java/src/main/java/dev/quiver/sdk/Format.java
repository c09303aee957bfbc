package dev.quiver.sdk;

import java.util.Optional;

/** The format of a payload's bytes; the ordinal is the number in the slot. */
public enum Format {
    /** Anything. */
    BYTES,
    /** One JSON value as UTF-8. */
    JSON,
    /** An Arrow IPC stream. */
    ARROW,
    /** A JSON array as UTF-8: the positional arguments of a Task's call. Only inputs have it, and a locator never. */
    ARGUMENTS,
    /** A JSON object as UTF-8: {@link Done} or {@link Plan}. Only outputs have it, and a locator never. */
    EFFECTS;

    private static final Format[] ALL = values();

    /** The format of an input. */
    static Optional<Format> ofCode(int code) {
        return code >= 0 && code < EFFECTS.ordinal() ? Optional.of(ALL[code]) : Optional.empty();
    }

    /** The format of an output. */
    static Format ofOutput(Output output) {
        Format format = output.format();
        if (format == ARGUMENTS) {
            throw new IllegalStateException("output: ARGUMENTS is a format of inputs alone");
        }
        if (format == EFFECTS && output.isLocator()) {
            throw new IllegalStateException("output: EFFECTS is no format of a locator");
        }
        return format;
    }
}
