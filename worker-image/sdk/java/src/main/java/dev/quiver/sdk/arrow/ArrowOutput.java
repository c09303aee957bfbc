package dev.quiver.sdk.arrow;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

import dev.quiver.sdk.Format;
import dev.quiver.sdk.Output;

/** Tables as output: an Arrow IPC stream of a batch for each, written from its vectors without a copy between. */
public final class ArrowOutput implements Output {
    private static final int LARGEST_WRITE = 1 << 30;

    private final List<VectorSchemaRoot> batches;

    private ArrowOutput(List<VectorSchemaRoot> batches) {
        this.batches = batches;
    }

    /**
     * The root's rows; it is closed when they are written.
     *
     * @throws IllegalArgumentException for columns that are encoded with a dictionary: decode them first
     */
    public static ArrowOutput of(VectorSchemaRoot root) {
        return of(List.of(root));
    }

    /**
     * A batch for each of these roots, which are closed when they are written. In the map of a map-reduce each batch is
     * a chunk.
     *
     * @param batches of one schema, at least one
     * @throws IllegalArgumentException for none, for two schemas, and for columns that are encoded with a dictionary:
     *     decode them first
     */
    public static ArrowOutput of(List<VectorSchemaRoot> batches) {
        if (batches.isEmpty()) {
            throw new IllegalArgumentException("no batch: a root without rows has the schema of an empty table");
        }
        Schema schema = batches.getFirst().getSchema();
        schema.getFields().forEach(ArrowOutput::refuseDictionary);
        for (VectorSchemaRoot batch : batches) {
            if (!batch.getSchema().equals(schema)) {
                throw new IllegalArgumentException("batches of two schemas: " + schema + " and " + batch.getSchema());
            }
        }
        return new ArrowOutput(List.copyOf(batches));
    }

    private static void refuseDictionary(Field field) {
        if (field.getDictionary() != null) {
            throw new IllegalArgumentException(
                    "column " + field.getName() + " is encoded with a dictionary: decode it first");
        }
        field.getChildren().forEach(ArrowOutput::refuseDictionary);
    }

    @Override
    public Format format() {
        return Format.ARROW;
    }

    /** Counted by writing it to nowhere, which reads no column. */
    @Override
    public long length() throws IOException {
        Counting nowhere = new Counting();
        writeTo(nowhere);
        return nowhere.bytes;
    }

    @Override
    public void writeTo(WritableByteChannel channel) throws IOException {
        Direct out = new Direct(channel);
        MessageSerializer.serialize(out, batches.getFirst().getSchema());
        for (VectorSchemaRoot root : batches) {
            try (ArrowRecordBatch batch = new VectorUnloader(root).getRecordBatch()) {
                MessageSerializer.serialize(out, batch);
            }
        }
        out.writeIntLittleEndian(MessageSerializer.IPC_CONTINUATION_TOKEN);
        out.writeIntLittleEndian(0);
    }

    @Override
    public void close() {
        batches.forEach(VectorSchemaRoot::close);
    }

    /** Buffers by their address: {@link ArrowBuf#nioBuffer} would need the JDK opened by a flag. */
    private static final class Direct extends WriteChannel {
        Direct(WritableByteChannel to) {
            super(to);
        }

        @Override
        @SuppressWarnings("restricted")
        public void write(ArrowBuf buffer) throws IOException {
            long end = buffer.writerIndex();
            for (long at = buffer.readerIndex(); at < end; at += LARGEST_WRITE) {
                long part = Math.min(end - at, LARGEST_WRITE);
                write(MemorySegment.ofAddress(buffer.memoryAddress() + at)
                        .reinterpret(part)
                        .asByteBuffer());
            }
        }
    }

    private static final class Counting implements WritableByteChannel {
        private long bytes;

        @Override
        public int write(ByteBuffer from) {
            int length = from.remaining();
            bytes += length;
            from.position(from.limit());
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
