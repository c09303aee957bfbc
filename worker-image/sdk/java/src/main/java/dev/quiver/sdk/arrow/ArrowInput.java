package dev.quiver.sdk.arrow;

import java.util.List;

import org.apache.arrow.vector.ipc.ArrowReader;

import dev.quiver.sdk.Format;
import dev.quiver.sdk.Input;
import dev.quiver.sdk.InputInvalidException;

/** A task's Arrow input, read where it lies. */
public final class ArrowInput {
    private ArrowInput() {}

    /**
     * The input's batches, one after the other, as vectors whose buffers lie in the slot's memory. They are validated
     * in full, since a broken offset would read foreign memory. Closed by the SDK when the handler has returned: what a
     * handler wants to keep it copies. Compressed batches are decompressed, into memory of the allocator. Results of a
     * map-reduce that lie in files are read one after the other, with one file mapped at a time. A batch is there until
     * the next one is loaded.
     *
     * @throws InputInvalidException in words, here or when a batch is loaded, for what is not an Arrow stream
     */
    public static ArrowReader read(Input input) {
        return read(input, false);
    }

    /** The same without validation: only for producers that are known to write correct streams. */
    public static ArrowReader readTrusted(Input input) {
        return read(input, true);
    }

    private static ArrowReader read(Input input, boolean trusted) {
        List<Input.Reference> references = input.references();
        if (!references.isEmpty()) {
            FilesReader files = new FilesReader(references, ArrowMemory.allocator(), trusted);
            input.closeAfter(files);
            return files;
        }
        if (input.isLocator() || input.format() != Format.ARROW) {
            throw new InputInvalidException(
                    "the input is " + (input.isLocator() ? "a locator" : input.format()) + ", not an Arrow stream");
        }
        MappedStream stream = new MappedStream(input.segment(), ArrowMemory.allocator());
        MappedReader reader = new MappedReader(stream, ArrowMemory.allocator(), trusted);
        input.closeAfter(reader);
        return reader;
    }
}
