package dev.quiver.lifecycle.history;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Grows as it is written. Not thread-safe. */
final class ByteWriter {

    private byte[] bytes;
    private int length;

    ByteWriter(int expected) {
        bytes = new byte[expected];
    }

    ByteWriter put(int value) {
        room(1);
        bytes[length++] = (byte) value;
        return this;
    }

    /** Seven bits a byte, least significant first; not negative. */
    ByteWriter number(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("a number must not be negative: " + value);
        }
        room(9);
        long rest = value;
        while (rest > 0x7f) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    /** A difference: small ones of either sign take one byte. */
    ByteWriter difference(long value) {
        return number((value << 1) ^ (value >> 63));
    }

    ByteWriter bytes(byte[] value) {
        number(value.length);
        return raw(value, value.length);
    }

    ByteWriter raw(byte[] value, int count) {
        room(count);
        System.arraycopy(value, 0, bytes, length, count);
        length += count;
        return this;
    }

    /** Cut at its end to so many bytes, between two characters. */
    ByteWriter text(String value, int most) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        int cut = encoded.length;
        if (cut > most) {
            cut = most;
            while (cut > 0 && (encoded[cut] & 0xc0) == 0x80) {
                cut--;
            }
        }
        number(cut);
        return raw(encoded, cut);
    }

    int length() {
        return length;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
