package dev.quiver.supervisor.execution;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

import dev.quiver.lifecycle.ordinals.OrdinalFeed;
import dev.quiver.lifecycle.worker.WorkSource;

/**
 * Cuts the list of tasks that a program wrote into pages of whole lines. The list stays in its slot and is read a part at a
 * time, so it may be larger than this process. Not thread-safe.
 */
public final class ListPages {

    /** Bytes of a list at most. */
    public static final long MAX_BYTES = 32 << 20;

    /** Bytes that are read at a time; a page has as many, or one longer line. */
    private static final int PART = WorkSource.MOST_PAGE_BYTES - OrdinalFeed.MAX_PAYLOAD_BYTES;

    private final TrialOutput output;
    private byte[] rest = {};
    private long from;
    private long line = 1; // number of the first line of the rest

    /** The list has lost its slot. */
    public static final class LostException extends Exception {
        private static final long serialVersionUID = 1L;

        LostException() {
            super("the list was lost with its slot");
        }
    }

    /** Reads this output. */
    public ListPages(TrialOutput output) {
        this.output = output;
    }

    /**
     * The next page: at most {@value WorkSource#MOST_PAGE_BYTES} bytes of UTF-8.
     *
     * @return absent behind the last page
     * @throws IllegalArgumentException where the list is too large, a line is too long or no text, or the file is another one;
     *     the message is for people
     */
    public Optional<String> next() throws LostException {
        if (output.bytes() > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the list has " + output.bytes() + " bytes, at most " + MAX_BYTES + " are read");
        }
        int end = 0;
        while (end == 0 && from < output.bytes()) {
            int before = rest.length;
            append(read((int) Math.min(PART, output.bytes() - from)));
            end = from == output.bytes() ? rest.length : lastEnd(before);
            if (end == 0 && rest.length > OrdinalFeed.MAX_PAYLOAD_BYTES) {
                throw new IllegalArgumentException(
                        "line " + line + " of the list has more than " + OrdinalFeed.MAX_PAYLOAD_BYTES + " bytes");
            }
        }
        if (end == 0) {
            return Optional.empty();
        }
        String page = text(end);
        for (int i = 0; i < end; i++) {
            line += rest[i] == '\n' ? 1 : 0;
        }
        rest = Arrays.copyOfRange(rest, end, rest.length);
        return Optional.of(page);
    }

    private byte[] read(int length) throws LostException {
        byte[] part = output.read(from, length).orElseThrow(LostException::new);
        from += length;
        return part;
    }

    private void append(byte[] part) {
        int at = rest.length;
        rest = Arrays.copyOf(rest, at + part.length);
        System.arraycopy(part, 0, rest, at, part.length);
    }

    /** Behind the last line that ends in the rest; 0 where none does. The bytes before have no end of a line. */
    private int lastEnd(int before) {
        for (int i = rest.length; i > before; i--) {
            if (rest[i - 1] == '\n') {
                return i;
            }
        }
        return 0;
    }

    private String text(int end) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer bytes = ByteBuffer.wrap(rest, 0, end);
        CharBuffer chars = CharBuffer.allocate(end);
        CoderResult result = decoder.decode(bytes, chars, true);
        if (result.isError()) {
            long fault = line;
            for (int i = 0; i < bytes.position(); i++) {
                fault += rest[i] == '\n' ? 1 : 0;
            }
            throw new IllegalArgumentException("line " + fault + " of the list: the bytes are no UTF-8");
        }
        return chars.flip().toString();
    }
}
