package dev.quiver.sdk;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** JSON values of which more than the words counts. Texts have passed the checks of {@link JsonText}. */
final class JsonValues {
    /** Characters of a number that Redis compares and adds as one, at most. */
    static final int MOST_NUMBER = 32;

    private static final Pattern WHOLE = Pattern.compile("-?\\d+");
    private static final Pattern SHORT_WHOLE = Pattern.compile("-?\\d{1,18}");
    private static final int MOST_LEVELS = 1000; // of a value that a worker reads
    private static final int MOST_SHOWN = 80;
    private static final String ESCAPES = "bfnrt";
    private static final String ESCAPED = "\b\f\n\r\t";

    private JsonValues() {}

    /**
     * Whether two values are the same to Redis, which compares a field with what is expected of it. Blanks, escapes and the
     * order of names do not count. Numbers are compared as such, so 1 is 1.0; whole ones by their digits, of which a double
     * has not all. Within a list or an object each number is compared by its digits.
     */
    static boolean isSame(String kept, String expected) {
        String one = kept.strip();
        String other = expected.strip();
        return isNumber(one) && isNumber(other) ? isSameNumber(digits(one), digits(other)) : hasSameParts(one, other);
    }

    private static boolean isSameNumber(String one, String other) {
        if (one.equals(other)) {
            return true;
        }
        if (isWhole(one) && isWhole(other) || Math.max(one.length(), other.length()) > MOST_NUMBER) {
            return false;
        }
        double told = Double.parseDouble(one);
        return Double.isFinite(told) && told == Double.parseDouble(other);
    }

    /** Without recursion: a value may be as deep as its text is long. Below the levels that are kept, words are compared. */
    private static boolean hasSameParts(String value, String otherValue) {
        record Pair(String one, String other, int depth) {}
        Deque<Pair> left = new ArrayDeque<>(List.of(new Pair(value, otherValue, 1)));
        while (!left.isEmpty()) {
            Pair pair = left.pop();
            String one = pair.one;
            String other = pair.other;
            if (pair.depth > MOST_LEVELS) {
                if (!one.equals(other)) {
                    return false;
                }
            } else if (one.startsWith("{") && other.startsWith("{")) {
                Map<String, String> members = members(one);
                Map<String, String> others = members(other);
                if (!members.keySet().equals(others.keySet())) {
                    return false;
                }
                members.forEach((name, member) -> left.push(new Pair(member, others.get(name), pair.depth + 1)));
            } else if (one.startsWith("[") && other.startsWith("[")) {
                List<String> elements = JsonText.elements(one);
                List<String> others = JsonText.elements(other);
                if (elements.size() != others.size()) {
                    return false;
                }
                for (int i = 0; i < others.size(); i++) {
                    left.push(new Pair(elements.get(i), others.get(i), pair.depth + 1));
                }
            } else if (!scalar(one).equals(scalar(other))) {
                return false;
            }
        }
        return true;
    }

    private static String scalar(String value) {
        return value.startsWith("\"") ? '"' + text(value).orElseThrow() : isNumber(value) ? digits(value) : value;
    }

    /** The text, when it is one JSON object. */
    static String object(String where, String text) {
        checked(where, text, JsonText::members);
        return text;
    }

    /** The text, when it is one JSON value. */
    static String value(String where, String text) {
        checked(where, text, JsonText::check);
        return text;
    }

    private static void checked(String where, String text, Consumer<String> check) {
        try {
            check.accept(text);
        } catch (InputInvalidException e) {
            throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
        }
    }

    /** The members of an object, by their names without escapes. */
    static Map<String, String> members(String object) {
        Map<String, String> all = new LinkedHashMap<>();
        JsonText.members(object).forEach((name, text) -> all.put(unescaped(name), text));
        return all;
    }

    /** The text of a string; empty for any other value. */
    static Optional<String> text(String value) {
        return value.startsWith("\"")
                ? Optional.of(unescaped(value.substring(1, value.length() - 1)))
                : Optional.empty();
    }

    /** The whole number that a value is; empty for any other one, and for more than 18 digits. */
    static OptionalLong whole(String value) {
        return SHORT_WHOLE.matcher(value).matches() ? OptionalLong.of(Long.parseLong(value)) : OptionalLong.empty();
    }

    /** Whether it is a number; any other value begins otherwise. */
    static boolean isNumber(String value) {
        return !value.isEmpty() && "-0123456789".indexOf(value.charAt(0)) >= 0;
    }

    /** Whether it is a number of digits alone. */
    static boolean isWhole(String value) {
        return WHOLE.matcher(value).matches();
    }

    /** As it stands in a message: of a long one the beginning. */
    static String shown(String value) {
        return value.length() <= MOST_SHOWN ? value : value.substring(0, MOST_SHOWN) + "…";
    }

    /**
     * Checks that UTF-8 can have it: a writer would put a question mark in the place of half a surrogate pair.
     *
     * @throws IllegalArgumentException for such a half
     */
    static void checkEncodable(String where, String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException(
                    where + " has half of a surrogate pair, which UTF-8 cannot say: " + shown(text));
        }
    }

    /** As the worker writes it. */
    private static String digits(String number) {
        try {
            return isWhole(number) ? new BigInteger(number).toString() : new BigDecimal(number).toString();
        } catch (NumberFormatException e) { // an exponent beyond all that is read
            return number;
        }
    }

    private static String unescaped(String written) {
        if (written.indexOf('\\') < 0) {
            return written;
        }
        StringBuilder text = new StringBuilder(written.length());
        for (int i = 0; i < written.length(); i++) {
            char c = written.charAt(i);
            if (c == '\\') {
                c = written.charAt(++i);
                if (c == 'u') {
                    c = (char) Integer.parseInt(written, i + 1, i + 5, 16);
                    i += 4;
                } else if (ESCAPES.indexOf(c) >= 0) {
                    c = ESCAPED.charAt(ESCAPES.indexOf(c));
                }
            }
            text.append(c);
        }
        return text.toString();
    }
}
