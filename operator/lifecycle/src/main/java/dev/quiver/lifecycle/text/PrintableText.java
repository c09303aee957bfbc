package dev.quiver.lifecycle.text;

import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes a text of a tenant harmless for whoever shows it: a status, an Event, a log, a metric, a header, a page. A
 * character that cannot be seen becomes its escape, such as <code>\</code><code>u200b</code> or
 * <code>\</code><code>u{e0041}</code>. So the API server accepts the text, and two names that look alike are alike.
 * Escaped are control characters, line and paragraph separators, halves of surrogate pairs and noncharacters. Unicode's
 * default-ignorable characters are escaped, too: those that change the direction of a text, and those of no width. A
 * text that was escaped once stays as it is. Pure.
 */
public final class PrintableText {

    private static final String CUT = "…";
    private static final Pattern ESCAPE = Pattern.compile("\\\\u(?:[0-9a-f]{4}|\\{[0-9a-f]{1,6}\\})");
    private static final int LONGEST_ESCAPE = 10;

    private PrintableText() {}

    /** The text; its line feeds and tabs stay. */
    public static String of(String text) {
        return cleaned(text, true, Integer.MAX_VALUE);
    }

    /**
     * The text, or its beginning and an ellipsis; its line feeds and tabs stay.
     *
     * @param most the most UTF-16 units of the answer, at least 1; no character and no escape is cut in two
     */
    public static String of(String text, int most) {
        return cleaned(text, true, most);
    }

    /** The text in one line: a line feed and a tab are escaped as well. */
    public static String line(String text) {
        return cleaned(text, false, Integer.MAX_VALUE);
    }

    /**
     * The text in one line, or its beginning and an ellipsis.
     *
     * @param most the most UTF-16 units of the answer, at least 1; no character and no escape is cut in two
     */
    public static String line(String text, int most) {
        return cleaned(text, false, most);
    }

    /** The place itself, or the start of the escape in which it lies: a text may end there. */
    public static int endAt(String text, int place) {
        return escapeAround(text, place).map(MatchResult::start).orElse(place);
    }

    /** The place itself, or the end of the escape in which it lies: the end of a text may begin there. */
    public static int beginAt(String text, int place) {
        return escapeAround(text, place).map(MatchResult::end).orElse(place);
    }

    private static Optional<MatchResult> escapeAround(String text, int place) {
        Matcher escapes = ESCAPE.matcher(text)
                .region(Math.max(0, place - LONGEST_ESCAPE + 1), Math.min(text.length(), place + LONGEST_ESCAPE - 1));
        while (escapes.find() && escapes.start() < place) {
            if (escapes.end() > place) {
                return Optional.of(escapes.toMatchResult());
            }
        }
        return Optional.empty();
    }

    private static String cleaned(String text, boolean lines, int most) {
        if (most < 1) {
            throw new IllegalArgumentException("a text of at most " + most + " characters cannot be");
        }
        int clean = cleanPrefix(text, lines);
        if (clean == text.length() && clean <= most) {
            return text;
        }
        StringBuilder kept = new StringBuilder(Math.min(most, text.length() + 16));
        int fits = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            if (shown(text, i, point, lines)) {
                kept.appendCodePoint(point);
            } else {
                kept.append(escape(point));
            }
            if (kept.length() > most) {
                return kept.substring(0, fits) + CUT;
            }
            if (kept.length() < most) {
                fits = kept.length();
            }
            i += Character.charCount(point);
        }
        return kept.toString();
    }

    /** The length of the beginning in which nothing is escaped. */
    private static int cleanPrefix(String text, boolean lines) {
        int i = 0;
        while (i < text.length()) {
            int point = text.codePointAt(i);
            if (!shown(text, i, point, lines)) {
                return i;
            }
            i += Character.charCount(point);
        }
        return i;
    }

    private static boolean shown(String text, int at, int point, boolean lines) {
        if (point >= 0x20 && point < 0x7f) {
            return true;
        }
        if (point == '\n' || point == '\t') {
            return lines;
        }
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.SURROGATE,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> !isNoncharacter(point) && (!isIgnorable(point) || isEmojiStyle(text, at, point));
        };
    }

    private static boolean isNoncharacter(int point) {
        return (point & 0xfffe) == 0xfffe || (point >= 0xfdd0 && point <= 0xfdef);
    }

    /** Default_Ignorable_Code_Point of Unicode, but those of the category Format. */
    private static boolean isIgnorable(int point) {
        return switch (point) {
            case 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0 -> true;
            default ->
                (point >= 0x180b && point <= 0x180f)
                        || (point >= 0x2060 && point <= 0x206f)
                        || (point >= 0xfe00 && point <= 0xfe0f)
                        || (point >= 0xfff0 && point <= 0xfff8)
                        || (point >= 0xe0000 && point <= 0xe0fff);
        };
    }

    /** The mark behind a symbol that makes it a picture: it is seen. */
    private static boolean isEmojiStyle(String text, int at, int point) {
        return point == 0xfe0f && at > 0 && Character.getType(text.codePointBefore(at)) == Character.OTHER_SYMBOL;
    }

    private static String escape(int point) {
        return point <= 0xffff ? "\\u%04x".formatted(point) : "\\u{%x}".formatted(point);
    }
}
