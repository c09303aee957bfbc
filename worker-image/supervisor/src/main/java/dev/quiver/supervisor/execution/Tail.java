package dev.quiver.supervisor.execution;

/**
 * The last lines of a text, few enough for a status: valid UTF-8, at most {@value #MAX_BYTES} bytes,
 * without control characters but line breaks and tabs. Pure.
 */
public final class Tail {

    /** The most bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    private Tail() {}

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
