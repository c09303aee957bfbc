package dev.quiver.history.web;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One range of bytes, as RFC 9110 has it.
 *
 * @param first byte
 * @param end the byte behind the last one; not behind first where the range has no byte
 */
record ByteRange(long first, long end) {

    private static final Pattern RANGE = Pattern.compile("bytes=(?:(\\d{1,18})-(\\d{0,18})|-(\\d{1,18}))");

    /** The range that a header asks for of so many bytes; absent for what is not one range. */
    static Optional<ByteRange> of(String header, long length) {
        Matcher range = RANGE.matcher(header.strip());
        if (!range.matches()) {
            return Optional.empty();
        }
        if (range.group(3) != null) {
            return Optional.of(new ByteRange(length - Math.min(length, Long.parseLong(range.group(3))), length));
        }
        long first = Long.parseLong(range.group(1));
        long last = range.group(2).isEmpty() ? Long.MAX_VALUE - 1 : Long.parseLong(range.group(2));
        if (last < first) {
            return Optional.empty();
        }
        return Optional.of(new ByteRange(Math.min(length, first), Math.min(length, last + 1)));
    }

    boolean isEmpty() {
        return end <= first;
    }

    String header(long length) {
        return "bytes " + first + "-" + (end - 1) + "/" + length;
    }

    long length() {
        return end - first;
    }
}
