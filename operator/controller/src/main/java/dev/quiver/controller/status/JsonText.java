package dev.quiver.controller.status;

import dev.quiver.lifecycle.text.PrintableText;

/**
 * Measures and cuts a text by its bytes in a JSON string, as the API server keeps it: a character may take six of them.
 * Text that was cut is {@linkplain PrintableText printable}, and no escape is cut in two. Pure.
 */
public final class JsonText {

    private static final String CUT = "…";
    private static final int CUT_BYTES = 3;

    private JsonText() {}

    /** The bytes of the text, without the quotes around it. */
    public static int bytes(String text) {
        return text.codePoints().map(JsonText::bytes).sum();
    }

    /** The printable text, or its beginning and an ellipsis, in at most so many bytes. */
    public static String first(String raw, int most) {
        String text = PrintableText.of(raw);
        if (bytes(text) <= most) {
            return text;
        }
        int left = most - CUT_BYTES;
        int end = 0;
        while (end < text.length() && (left -= bytes(text.codePointAt(end))) >= 0) {
            end += Character.charCount(text.codePointAt(end));
        }
        return most < CUT_BYTES ? "" : text.substring(0, PrintableText.endAt(text, end)) + CUT;
    }

    /** The printable text, or an ellipsis and its end, in at most so many bytes. */
    public static String last(String raw, int most) {
        String text = PrintableText.of(raw);
        if (bytes(text) <= most) {
            return text;
        }
        int left = most - CUT_BYTES;
        int start = text.length();
        while (start > 0 && (left -= bytes(text.codePointBefore(start))) >= 0) {
            start -= Character.charCount(text.codePointBefore(start));
        }
        return most < CUT_BYTES ? "" : CUT + text.substring(PrintableText.beginAt(text, start));
    }

    /**
     * The bytes as the API server writes the character: control characters and those special in HTML as {@code \\u….}.
     */
    private static int bytes(int c) {
        return switch (c) {
            case '"', '\\', '\n', '\r', '\t' -> 2;
            case '<', '>', '&', 0x2028, 0x2029 -> 6;
            default -> {
                if (c < 0x20 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
                    yield 6;
                }
                if (c < 0x80) {
                    yield 1;
                }
                yield c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            }
        };
    }
}
