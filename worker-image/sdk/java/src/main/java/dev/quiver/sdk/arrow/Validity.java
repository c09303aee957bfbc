package dev.quiver.sdk.arrow;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BufferLayout.BufferType;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

import dev.quiver.sdk.InputInvalidException;

/**
 * One validity buffer of ones for all columns without nulls. Streams leave such buffers out. Arrow Java would make one
 * for each column and batch, which is the only part of reading that grows with the rows.
 */
final class Validity {
    private static final long SMALL = 4096;

    private static ArrowBuf ones; // grows, stays

    private final Iterator<ArrowFieldNode> nodes;
    private final Iterator<ArrowBuf> buffers;
    private final Iterator<Long> variadic;
    private final List<ArrowBuf> filled;
    private final BufferAllocator allocator;
    private final long most;

    private Validity(ArrowRecordBatch batch, BufferAllocator allocator, long most) {
        this.nodes = batch.getNodes().iterator();
        this.buffers = batch.getBuffers().iterator();
        this.variadic = batch.getVariadicBufferCounts() == null
                ? List.<Long>of().iterator()
                : batch.getVariadicBufferCounts().iterator();
        this.filled = new ArrayList<>(batch.getBuffers().size());
        this.allocator = allocator;
        this.most = Math.max(most, SMALL);
    }

    /**
     * The same batch, absent validity filled in; takes the given one's buffers over.
     *
     * @param most bytes of the stream: a batch with more rows than bits is refused, before memory is taken for it
     */
    static ArrowRecordBatch shared(ArrowRecordBatch batch, Schema schema, BufferAllocator allocator, long most) {
        try (batch) {
            Validity validity = new Validity(batch, allocator, most);
            for (Field column : schema.getFields()) {
                validity.fill(column, batch.getLength());
            }
            return new ArrowRecordBatch(
                    batch.getLength(),
                    batch.getNodes(),
                    validity.filled,
                    batch.getBodyCompression(),
                    batch.getVariadicBufferCounts(),
                    true);
        }
    }

    /** A column, which has as many rows as the batch: each of them is looked at when it is validated. */
    private void fill(Field column, int rows) {
        if (fill(column).getLength() != rows) {
            throw new InputInvalidException(
                    "not an Arrow stream: column " + column.getName() + " has not the " + rows + " rows of its batch");
        }
    }

    private ArrowFieldNode fill(Field field) {
        ArrowFieldNode node = nodes.next();
        List<BufferType> types = TypeLayout.getTypeLayout(field.getType()).getBufferTypes();
        boolean counted = TypeLayout.getTypeLayout(field.getType()).isFixedBufferCount();
        long count = types.size() + (counted ? 0 : variadic.next());
        for (long i = 0; i < count; i++) {
            ArrowBuf buffer = buffers.next();
            boolean absent = i == 0
                    && !types.isEmpty()
                    && types.getFirst() == BufferType.VALIDITY
                    && buffer.capacity() == 0
                    && node.getNullCount() == 0;
            filled.add(absent ? ones((node.getLength() + 7L) / 8) : buffer);
        }
        field.getChildren().forEach(this::fill);
        return node;
    }

    private ArrowBuf ones(long bytes) {
        if (bytes > most) {
            throw new InputInvalidException("not an Arrow stream: a column has more rows than the input has bits");
        }
        synchronized (Validity.class) {
            if (ones == null || ones.capacity() < bytes) {
                if (ones != null) {
                    ones.close();
                }
                ones = allocator.buffer(Math.max(bytes, SMALL));
                ones.setOne(0, ones.capacity());
            }
            return ones.slice(0, bytes);
        }
    }
}
