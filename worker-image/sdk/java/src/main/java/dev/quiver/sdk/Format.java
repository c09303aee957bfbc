package dev.quiver.sdk;

import java.util.Optional;

/** The format of a payload's bytes; the ordinal is the number in the slot. */
public enum Format {
    /** Anything. */
    BYTES,
    /** One JSON value as UTF-8. */
    JSON,
    /** An Arrow IPC stream. */
    ARROW;

    private static final Format[] ALL = values();

    static Optional<Format> ofCode(int code) {
        return code >= 0 && code < ALL.length ? Optional.of(ALL[code]) : Optional.empty();
    }
}
