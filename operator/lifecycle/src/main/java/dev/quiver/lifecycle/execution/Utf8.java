package dev.quiver.lifecycle.execution;

import java.nio.charset.StandardCharsets;

/** Cuts text to a number of UTF-8 bytes without cutting a character. */
public final class Utf8 {

    private Utf8() {}

    public static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    public static String firstBytes(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= most) {
            return text;
        }
        int to = most;
        while (to > 0 && (bytes[to] & 0xC0) == 0x80) {
            to--;
        }
        return new String(bytes, 0, to, StandardCharsets.UTF_8);
    }

    public static String lastBytes(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= most) {
            return text;
        }
        int from = bytes.length - most;
        while (from < bytes.length && (bytes[from] & 0xC0) == 0x80) {
            from++;
        }
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }
}
