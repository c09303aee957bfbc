package dev.quiver.supervisor.execution;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.ExecutionInput;

/**
 * The output of a trial, which lies in its slot until the end is acknowledged. Most are read by nobody.
 *
 * @param bytes as the executor announced them
 * @param reader reads it; absent when the slot does not have it any more
 * @param parts reads a part of it; absent likewise
 * @param effects whether it is announced in the format of effects, so that its source has to read it
 */
public record TrialOutput(long bytes, Supplier<Optional<ExecutionInput.Payload>> reader, Parts parts, boolean effects) {

    /** Reads a part of an output. */
    @FunctionalInterface
    public interface Parts {

        /** The bytes from there on; absent when the slot does not have them any more. */
        Optional<byte[]> read(long from, int length);
    }

    /** One that is a result at most. */
    public TrialOutput(long bytes, Supplier<Optional<ExecutionInput.Payload>> reader, Parts parts) {
        this(bytes, reader, parts, false);
    }

    /** One whose parts are those of the whole. */
    public TrialOutput(long bytes, Supplier<Optional<ExecutionInput.Payload>> reader) {
        this(
                bytes,
                reader,
                (from, length) ->
                        reader.get().map(whole -> Arrays.copyOfRange(whole.bytes(), (int) from, (int) from + length)));
    }

    /** Not a byte. */
    public static final TrialOutput NONE = new TrialOutput(0, () -> Optional.of(ExecutionInput.Payload.NONE));

    /** One that was read. */
    static TrialOutput of(ExecutionInput.Payload read) {
        return new TrialOutput(read.bytes().length, () -> Optional.of(read)).announced(read.format());
    }

    /** The same in this format. */
    TrialOutput announced(ExecutionInput.Format format) {
        return new TrialOutput(bytes, reader, parts, format == ExecutionInput.Format.EFFECTS);
    }

    /** One that is lost with its slot. */
    static TrialOutput lost(long bytes) {
        return bytes == 0 ? NONE : new TrialOutput(bytes, Optional::empty);
    }

    /**
     * Reads it, before the end is acknowledged.
     *
     * @throws IllegalArgumentException when it is not what was announced
     */
    public Optional<ExecutionInput.Payload> read() {
        return reader.get();
    }

    /**
     * Reads a part of it, before the end is acknowledged.
     *
     * @throws IllegalArgumentException when it is not what was announced
     */
    public Optional<byte[]> read(long from, int length) {
        return parts.read(from, length);
    }
}
