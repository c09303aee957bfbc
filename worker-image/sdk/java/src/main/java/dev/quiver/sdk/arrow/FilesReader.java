package dev.quiver.sdk.arrow;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;

import dev.quiver.sdk.Input;
import dev.quiver.sdk.InputInvalidException;

/**
 * Reads streams one after the other, most of them files, of which one is mapped at a time. All streams share one root.
 * Each batch moves into it without a copy, and the last batch leaves it before its file is unmapped.
 */
final class FilesReader extends ArrowReader {
    private final List<Input.Reference> streams;
    private final BufferAllocator own;
    private final boolean trusted;
    private int next;
    private String first; // names of streams, for messages
    private String name;
    private Arena arena; // of the stream that is being read; null: none is
    private MappedReader current;
    private VectorSchemaRoot root; // null until a stream was opened
    private long before; // bytes of the streams that were read

    FilesReader(List<Input.Reference> streams, BufferAllocator allocator, boolean trusted) {
        super(allocator);
        this.streams = streams;
        this.own = allocator;
        this.trusted = trusted;
    }

    @Override
    public VectorSchemaRoot getVectorSchemaRoot() throws IOException {
        if (root == null) {
            open();
        }
        return root;
    }

    @Override
    public boolean loadNextBatch() throws IOException {
        getVectorSchemaRoot().clear();
        while (true) {
            if (current == null) {
                if (next == streams.size()) {
                    return false;
                }
                open();
            }
            if (current.loadNextBatch()) {
                move();
                return true;
            }
            end();
        }
    }

    private void move() throws IOException {
        VectorSchemaRoot from = current.getVectorSchemaRoot();
        List<FieldVector> vectors = from.getFieldVectors();
        for (int i = 0; i < vectors.size(); i++) {
            vectors.get(i).makeTransferPair(root.getVector(i)).transfer();
        }
        root.setRowCount(from.getRowCount());
    }

    private void open() throws IOException {
        Input.Reference stream = streams.get(next++);
        name = stream.file().map(Path::getFileName).map(Path::toString).orElse("a short one");
        arena = Arena.ofConfined();
        current = new MappedReader(new MappedStream(memory(stream), own), own, trusted);
        Schema schema = current.getVectorSchemaRoot().getSchema();
        if (root == null) {
            first = name;
            root = VectorSchemaRoot.create(schema, own);
        } else if (!schema.getFields().equals(root.getSchema().getFields())) {
            throw new InputInvalidException("the results differ: " + first + " has the schema ("
                    + shown(root.getSchema()) + "), " + name + " has (" + shown(schema) + ")");
        }
    }

    private MemorySegment memory(Input.Reference stream) throws IOException {
        if (stream.file().isEmpty()) {
            byte[] bytes = stream.bytes();
            return arena.allocate(bytes.length, 64).copyFrom(MemorySegment.ofArray(bytes));
        }
        try (FileChannel file = FileChannel.open(stream.file().get())) {
            return file.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), arena);
        } catch (NoSuchFileException gone) {
            throw new InputInvalidException(name + ": no such file, " + gone.getFile(), gone);
        }
    }

    private static String shown(Schema schema) {
        return schema.getFields().stream()
                .map(field -> field.getName() + ": " + field.getType())
                .reduce((one, other) -> one + ", " + other)
                .orElse("");
    }

    /** Throws when a buffer of the stream is still held. */
    private void end() throws IOException {
        if (root != null) {
            root.clear();
        }
        if (current != null) {
            before += current.bytesRead();
            current.close();
            current = null;
        }
        if (arena != null) {
            arena.close();
            arena = null;
        }
    }

    @Override
    public Map<Long, Dictionary> getDictionaryVectors() throws IOException {
        getVectorSchemaRoot();
        return current == null ? Map.of() : current.getDictionaryVectors();
    }

    @Override
    public Dictionary lookup(long id) {
        return current == null ? null : current.lookup(id);
    }

    @Override
    public Set<Long> getDictionaryIds() {
        return current == null ? Set.of() : current.getDictionaryIds();
    }

    @Override
    public long bytesRead() {
        return before + (current == null ? 0 : current.bytesRead());
    }

    @Override
    protected Schema readSchema() throws IOException {
        return getVectorSchemaRoot().getSchema();
    }

    @Override
    public void close() throws IOException {
        end();
    }

    @Override
    protected void closeReadSource() {
        // end() has closed it
    }
}
