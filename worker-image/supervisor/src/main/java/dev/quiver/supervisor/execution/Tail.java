package dev.quiver.supervisor.execution;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * The last lines of what a task printed, small enough for a status: valid UTF-8, at most {@value #MAX_BYTES} bytes,
 * without control characters but line breaks and tabs. Pure.
 */
public final class Tail {

    /** The most bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    private Tail() {}

    /** The end of these bytes, whatever they are; broken sequences become U+FFFD. */
    public static String of(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        int from = Math.max(0, bytes.length - 4 * MAX_BYTES);
        while (from > 0 && from < bytes.length && (bytes[from] & 0xC0) == 0x80) {
            from++;
        }
        try {
            CharBuffer text = decoder.decode(ByteBuffer.wrap(bytes, from, bytes.length - from));
            return fit(text.toString());
        } catch (java.nio.charset.CharacterCodingException e) {
            throw new AssertionError("a decoder that replaces never reports", e);
        }
    }

    /** The end of a text: whole lines if the last one fits, otherwise the end of the last line. */
    public static String fit(String text) {
        String clean = printable(text).strip();
        int start = clean.length();
        int bytes = 0;
        while (start > 0) {
            int point = clean.codePointBefore(start);
            int size = size(point);
            if (bytes + size > MAX_BYTES) {
                break;
            }
            bytes += size;
            start -= Character.charCount(point);
        }
        if (start == 0) {
            return clean;
        }
        int line = clean.indexOf('\n', start);
        return line < 0 || clean.charAt(start - 1) == '\n' ? clean.substring(start) : clean.substring(line + 1);
    }

    private static int size(int point) {
        return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    }

    private static String printable(String text) {
        StringBuilder kept = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            boolean surrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
            if (surrogate) {
                kept.append('\uFFFD');
            } else if (point == '\n' || point == '\t' || !Character.isISOControl(point)) {
                kept.appendCodePoint(point);
            }
        });
        return kept.toString();
    }
}
