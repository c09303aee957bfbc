package dev.quiver.lifecycle.history;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Reads what {@link ByteWriter} wrote, or what somebody forged. Allocates no more than its bytes hold. */
final class ByteReader {

    /** Digits of a number in a text at most. */
    static final int DIGITS = 18;

    private static final int LONGEST_NUMBER = 9;

    private final byte[] bytes;
    private int at;

    ByteReader(byte[] bytes) {
        this.bytes = bytes;
    }

    boolean atEnd() {
        return at == bytes.length;
    }

    int position() {
        return at;
    }

    int octet() throws MalformedEntryException {
        if (at >= bytes.length) {
            throw new MalformedEntryException("the bytes end at " + at + " within a field");
        }
        return bytes[at++] & 0xff;
    }

    long number(long most, String name) throws MalformedEntryException {
        long value = 0;
        for (int i = 0; i < LONGEST_NUMBER; i++) {
            int octet = octet();
            value |= (long) (octet & 0x7f) << (7 * i);
            if (octet < 0x80) {
                if (value > most) {
                    throw new MalformedEntryException(name + " is " + value + ", at most " + most);
                }
                return value;
            }
        }
        throw new MalformedEntryException(name + " is no number");
    }

    int count(int most, String name) throws MalformedEntryException {
        return (int) number(most, name);
    }

    long difference() throws MalformedEntryException {
        long value = number(Long.MAX_VALUE, "a difference");
        return (value >>> 1) ^ -(value & 1);
    }

    byte[] bytes(int most, String name) throws MalformedEntryException {
        int length = count(most, "the length of " + name);
        if (length > bytes.length - at) {
            throw new MalformedEntryException(name + " of " + length + " bytes ends after the entry");
        }
        byte[] value = Arrays.copyOfRange(bytes, at, at + length);
        at += length;
        return value;
    }

    String text(int most, String name) throws MalformedEntryException {
        return utf8(bytes(most, name), most, name);
    }

    Optional<String> optionalText(int most, String name) throws MalformedEntryException {
        String value = text(most, name);
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    /** Text of at most so many bytes; invalid UTF-8 is refused. */
    static String utf8(byte[] value, int most, String name) throws MalformedEntryException {
        if (value.length > most) {
            throw new MalformedEntryException(name + " has " + value.length + " bytes, at most " + most);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedEntryException(name + " is no UTF-8");
        }
    }

    void end(String name) throws MalformedEntryException {
        if (!atEnd()) {
            throw new MalformedEntryException(name + " has " + (bytes.length - at) + " bytes too many");
        }
    }

    void version(int known, String name) throws MalformedEntryException {
        int version = octet();
        if (version == 0) {
            throw new MalformedEntryException(name + " has version 0");
        }
        if (version > known) {
            throw MalformedEntryException.newer(name + " has version " + version + ", known is " + known);
        }
    }

    /** A time in milliseconds; absent for 0. */
    Optional<Long> time() throws MalformedEntryException {
        long time = number(HistoryBounds.NUMBER, "a time");
        return time == 0 ? Optional.empty() : Optional.of(time);
    }

    /** A number in a text. */
    static long decimal(String text, long most, String name) throws MalformedEntryException {
        if (text.isEmpty() || text.length() > DIGITS || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new MalformedEntryException(name + " is no number");
        }
        long value = Long.parseLong(text);
        if (value > most) {
            throw new MalformedEntryException(name + " is " + value + ", at most " + most);
        }
        return value;
    }
}
