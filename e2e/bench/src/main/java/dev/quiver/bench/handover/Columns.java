package dev.quiver.bench.handover;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.List;

import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;

import dev.quiver.sdk.arrow.ArrowMemory;
import dev.quiver.sdk.arrow.ArrowOutput;

/** A producer in Java: a table with one column of numbers. */
final class Columns {

    private Columns() {}

    /** The column {@code x} with 0, 1, 2 and so on. */
    static VectorSchemaRoot numbers(int rows) {
        BigIntVector x = new BigIntVector("x", ArrowMemory.allocator());
        x.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            x.set(i, i);
        }
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(x));
        root.setRowCount(rows);
        return root;
    }

    /** Writes it as an Arrow IPC stream. */
    static void write(VectorSchemaRoot root, WritableByteChannel to) throws IOException {
        ArrowOutput.of(root).writeTo(to);
    }

    /** The same in the heap. */
    static byte[] stream(int rows) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(rows * Long.BYTES + 4096);
        try (VectorSchemaRoot root = numbers(Math.max(rows, 1))) {
            write(root, Channels.newChannel(bytes));
        }
        return bytes.toByteArray();
    }
}
