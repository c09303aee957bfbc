package dev.quiver.sdk.arrow;

import java.io.IOException;
import java.util.Optional;

import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.ValueVectorUtility;

import dev.quiver.sdk.InputInvalidException;
import dev.quiver.sdk.arrow.MappedStream.Part;

/** Reads a stream in memory without copying it. Each fault of it is an {@link InputInvalidException}. */
final class MappedReader extends ArrowReader {
    private final MappedStream stream;
    private final boolean trusted;
    private ArrowBuf loading; // the body of a message that is being read, or could not be; else null
    private boolean closed;

    MappedReader(MappedStream stream, BufferAllocator allocator, boolean trusted) {
        super(allocator);
        this.stream = stream;
        this.trusted = trusted;
    }

    @Override
    protected Schema readSchema() {
        return refusing(() -> {
            Part part = stream.next().orElseThrow(() -> new InputInvalidException("not an Arrow stream: it is empty"));
            part.body().close();
            if (part.header().headerType() != MessageHeader.Schema) {
                throw new InputInvalidException("not an Arrow stream: it does not begin with a schema");
            }
            return MessageSerializer.deserializeSchema(part.header());
        });
    }

    @Override
    public boolean loadNextBatch() {
        return refusing(() -> {
            prepareLoadNextBatch();
            for (Optional<Part> part = stream.next(); part.isPresent(); part = stream.next()) {
                loading = part.get().body();
                boolean batch = load(part.get());
                loading = null;
                if (batch) {
                    return true;
                }
            }
            return false;
        });
    }

    /** Whether it was a batch of the table, and not a dictionary. */
    private boolean load(Part part) throws IOException {
        switch (part.header().headerType()) {
            case MessageHeader.RecordBatch -> {
                loadRecordBatch(MessageSerializer.deserializeRecordBatch(part.header(), part.body()));
                if (!trusted) {
                    ValueVectorUtility.validateFull(getVectorSchemaRoot());
                }
                return true;
            }
            case MessageHeader.DictionaryBatch -> {
                loadDictionary(MessageSerializer.deserializeDictionaryBatch(part.header(), part.body()));
                return false;
            }
            default ->
                throw new InputInvalidException("not an Arrow stream: a message of kind "
                        + part.header().headerType() + " among its batches");
        }
    }

    @Override
    protected void loadRecordBatch(ArrowRecordBatch batch) {
        super.loadRecordBatch(Validity.shared(batch, schema(), allocator, stream.length()));
    }

    private Schema schema() {
        try {
            return getVectorSchemaRoot().getSchema();
        } catch (IOException e) {
            throw new InputInvalidException("not an Arrow stream: " + e.getMessage(), e);
        }
    }

    @Override
    public long bytesRead() {
        return stream.position();
    }

    /** Throws when a buffer of the memory is still held. Idempotent: a handler may close it, too. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            super.close();
        }
    }

    /**
     * After the vectors were closed. If loading failed, no buffer was handed out, so any references to its memory are
     * released.
     */
    @Override
    protected void closeReadSource() {
        int lost = loading == null ? 0 : loading.getReferenceManager().getRefCount();
        if (lost > 0) {
            loading.getReferenceManager().release(lost);
        }
        if (stream.isHeld()) {
            throw new IllegalStateException("Arrow buffers of the input are still held");
        }
    }

    @FunctionalInterface
    private interface Reading<T> {
        T read() throws IOException;
    }

    /** A broken stream shows itself as almost anything: flatbuffers and buffers are read at what it says. */
    private static <T> T refusing(Reading<T> reading) {
        try {
            return reading.read();
        } catch (InputInvalidException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new InputInvalidException("not an Arrow stream: " + e.getMessage(), e);
        }
    }
}
