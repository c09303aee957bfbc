package dev.quiver.slots;

import java.nio.charset.StandardCharsets;

/**
 * A task's input. Not copied: the bytes must not change before the dispatch.
 *
 * @param bytes at the start of the slot's input
 * @param format what they are, or what lies where they lead
 * @param locator whether they are a locator: the UTF-8 of a URL or path, at most {@value #MAX_LOCATOR_BYTES} bytes
 */
public record Payload(byte[] bytes, DataFormat format, boolean locator) {
    /** The longest locator, of a payload and of an output. */
    public static final int MAX_LOCATOR_BYTES = 1024;

    private static final Payload NONE = bytes(new byte[0]);

    /** No input. */
    public static Payload none() {
        return NONE;
    }

    /** Raw bytes. */
    public static Payload bytes(byte[] bytes) {
        return new Payload(bytes, DataFormat.BYTES, false);
    }

    /** A JSON text. */
    public static Payload json(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8), DataFormat.JSON, false);
    }

    /** An Arrow IPC stream. */
    public static Payload arrow(byte[] stream) {
        return new Payload(stream, DataFormat.ARROW, false);
    }

    /** The positional arguments of a call, as the text of a JSON array. */
    public static Payload arguments(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8), DataFormat.ARGUMENTS, false);
    }

    /** Data of the format, to be found at this URL or path. */
    public static Payload locator(String where, DataFormat format) {
        return new Payload(where.getBytes(StandardCharsets.UTF_8), format, true);
    }
}
