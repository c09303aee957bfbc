package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Text that has to fit into a number of bytes, and bytes that claim to be text. */
final class Texts {
    private Texts() {}

    /** At most {@code maxBytes} bytes of UTF-8, cut between characters. */
    static byte[] utf8(String text, int maxBytes) {
        byte[] all = text.getBytes(StandardCharsets.UTF_8);
        if (all.length <= maxBytes) {
            return all;
        }
        int end = maxBytes;
        while (end > 0 && isContinuation(all[end])) {
            end--;
        }
        return Arrays.copyOf(all, end);
    }

    /** Exactly the bytes of the text; refuses half surrogates instead of replacing them. */
    static byte[] strictUtf8(String text) throws CharacterCodingException {
        if (!hasSurrogate(text)) {
            return text.getBytes(StandardCharsets.UTF_8); // a tenth of what an encoder costs
        }
        ByteBuffer bytes = StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .encode(CharBuffer.wrap(text));
        byte[] exact = new byte[bytes.remaining()];
        bytes.get(exact);
        return exact;
    }

    private static boolean hasSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /** The text of bytes that are UTF-8, empty if they are not. */
    static Optional<String> exact(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /** Text of a zero-padded field. */
    static String padded(byte[] bytes, int offset, int length) {
        int end = offset;
        while (end < offset + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, offset, end - offset, StandardCharsets.UTF_8);
    }

    /**
     * The last whole lines of the bytes, in at most {@code maxBytes} bytes of valid UTF-8; a single longer line keeps
     * its end. Broken sequences become U+FFFD, control characters other than newline and tab become spaces.
     */
    static String lastLines(byte[] bytes, int maxBytes) {
        String text = clean(bytes).strip();
        byte[] valid = text.getBytes(StandardCharsets.UTF_8);
        if (valid.length <= maxBytes) {
            return text;
        }
        int from = valid.length - maxBytes;
        int lineStart = from;
        while (lineStart < valid.length && valid[lineStart - 1] != '\n') {
            lineStart++;
        }
        if (lineStart >= valid.length) {
            lineStart = from;
            while (isContinuation(valid[lineStart])) {
                lineStart++;
            }
        }
        return new String(valid, lineStart, valid.length - lineStart, StandardCharsets.UTF_8).strip();
    }

    /** Valid text of these bytes. */
    static String clean(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> c == '\n' || c == '\t' || !Character.isISOControl(c) ? c : ' ')
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static boolean isContinuation(byte b) {
        return (b & 0xC0) == 0x80;
    }
}
