package dev.quiver.lifecycle.task.model;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.quiver.lifecycle.arrow.ArrowStream;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.redis.BinaryText;

/** Chunks in the output of the task that brings them. No I/O. */
public final class Chunks {

    /** Bytes of one chunk at most. */
    static final int MOST_BYTES = 256 * 1024;

    private Chunks() {}

    /**
     * The chunks, each as Redis keeps it: JSON, or the bytes of an Arrow stream of one batch.
     *
     * @param lines whether a line is a chunk: JSON, or else a text; otherwise the output is one JSON array. Each batch
     *     of an Arrow stream is a chunk
     * @param most chunks: more are counted, and not made
     * @throws IllegalArgumentException with the fault
     */
    public static List<String> of(ExecutionInput.Payload output, boolean lines, int most) {
        if (output.bytes().length == 0) {
            if (lines) {
                throw new IllegalArgumentException(
                        "the file $QUIVER_OUTPUT is empty: chunks are what a command writes there,"
                                + " not what it prints; a blank line stands for no chunks");
            }
            return List.of();
        }
        if (!output.locator() && ArrowStream.begins(output.bytes())) {
            return ArrowStream.of(output.bytes()).batches().stream()
                    .map(BinaryText::of)
                    .toList();
        }
        boolean text = output.format() == ExecutionInput.Format.JSON || output.format() == ExecutionInput.Format.BYTES;
        if (output.locator() || !text) {
            throw new IllegalArgumentException(
                    "the chunks are " + output.format().word() + (output.locator() ? " at a locator" : "")
                            + ", a JSON array or an Arrow stream is needed");
        }
        String all = text(output.bytes());
        if (lines && output.format() == ExecutionInput.Format.BYTES) {
            checkCount(all.lines().filter(line -> !line.isBlank()).count(), most);
            return all.lines()
                    .filter(line -> !line.isBlank())
                    .map(RawJson::line)
                    .toList();
        }
        checkCount(RawJson.size("the chunks", all), most);
        return RawJson.elements(all);
    }

    /** An IllegalArgumentException for too many. */
    public static void checkCount(long chunks, int most) {
        if (chunks > most) {
            throw new IllegalArgumentException("there are " + chunks + " chunks, at most " + most + " are allowed");
        }
    }

    /** An output as a text; an IllegalArgumentException for bytes that are none. */
    public static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the chunks are not UTF-8", e);
        }
    }

    /** The same chunks, unless they are too many or one is too large; see below. */
    public static List<String> checked(List<String> chunks, int most) {
        return checked(chunks, 0, most);
    }

    /**
     * The same chunks, unless they are too many or one is too large.
     *
     * @param before chunks that are there already
     * @param most of them with these
     * @throws IllegalArgumentException with the number and the bound
     */
    public static List<String> checked(List<String> chunks, int before, int most) {
        checkCount((long) before + chunks.size(), most);
        for (int i = 0; i < chunks.size(); i++) {
            int bytes = Utf8.length(chunks.get(i));
            if (bytes > MOST_BYTES) {
                throw new IllegalArgumentException(
                        "chunk " + (before + i) + " has " + bytes + " bytes, at most " + MOST_BYTES + " are allowed");
            }
        }
        return chunks;
    }
}
