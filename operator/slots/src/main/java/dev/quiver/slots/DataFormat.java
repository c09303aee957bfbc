package dev.quiver.slots;

import java.util.Optional;

/** The format of a payload's or an output's bytes. Only the two ends read them; the slots carry them as they are. */
public enum DataFormat {
    /** Anything. */
    BYTES,
    /** One JSON value in UTF-8. */
    JSON,
    /** An Arrow IPC stream. */
    ARROW,
    /** A JSON array in UTF-8: the positional arguments of a call. Only inputs have it, and a locator never. */
    ARGUMENTS,
    /**
     * A JSON object in UTF-8: a result and the tasks that are created with it, or the changes of a plan. Only outputs have it,
     * and a locator never.
     */
    EFFECTS;

    private static final DataFormat[] BY_CODE = values();

    /** The number in the records. */
    public int code() {
        return ordinal();
    }

    /** The format with this number, empty for any other number. */
    public static Optional<DataFormat> ofCode(int code) {
        return code < 0 || code >= BY_CODE.length ? Optional.empty() : Optional.of(BY_CODE[code]);
    }

    /** The same of an output, empty for {@link #ARGUMENTS} as well. */
    static Optional<DataFormat> ofOutput(int code) {
        return ofCode(code).filter(format -> format != ARGUMENTS);
    }
}
