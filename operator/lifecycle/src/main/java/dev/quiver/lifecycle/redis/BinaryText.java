package dev.quiver.lifecycle.redis;

/**
 * Bytes that are no text, in the form that scripts take and return them. Arguments, keys and replies are texts in Java,
 * and the UTF-8 of these texts in Redis. A value whose first byte is 0xFF can be no UTF-8. Its bytes {@code b} are the
 * characters {@code 0xDC00 + b}, which stand in no text either: as many characters as bytes, and the same bytes in
 * Redis. The first four bytes of an Arrow IPC stream are 0xFF.
 */
public final class BinaryText {

    private static final char BASE = 0xDC00;
    private static final char FIRST = BASE + 0xFF;

    private BinaryText() {}

    /**
     * The text that stands for these bytes.
     *
     * @throws IllegalArgumentException where the first one is not 0xFF
     */
    public static String of(byte[] bytes) {
        if (!isBinary(bytes)) {
            throw new IllegalArgumentException("the bytes may be text");
        }
        char[] chars = new char[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            chars[i] = (char) (BASE + (bytes[i] & 0xFF));
        }
        return new String(chars);
    }

    /** The text for any bytes, behind one that no text has: a script takes it off again. */
    public static String marked(byte[] bytes) {
        char[] chars = new char[bytes.length + 1];
        chars[0] = FIRST;
        for (int i = 0; i < bytes.length; i++) {
            chars[i + 1] = (char) (BASE + (bytes[i] & 0xFF));
        }
        return new String(chars);
    }

    /** Whether a text stands for bytes. */
    public static boolean is(String text) {
        return !text.isEmpty() && text.charAt(0) == FIRST;
    }

    /** The bytes for which a text stands. */
    public static byte[] bytes(String text) {
        byte[] bytes = new byte[text.length()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) text.charAt(i);
        }
        return bytes;
    }

    static boolean isBinary(byte[] bytes) {
        return bytes.length > 0 && bytes[0] == (byte) 0xFF;
    }
}
