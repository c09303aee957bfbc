package dev.quiver.sdk.arrow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;

import dev.quiver.sdk.InputInvalidException;

/**
 * The encapsulated messages of an Arrow IPC stream that lies in memory. Bodies are slices of that memory.
 *
 * <pre>
 *   u32 0xFFFFFFFF (absent before Arrow 0.15), i32 metadata length (0: end), metadata, body; each padded to 8
 * </pre>
 */
final class MappedStream {
    private static final int CONTINUATION = -1;

    private final MemorySegment memory;
    private final BufferAllocator allocator;
    private int held; // bodies that somebody still refers to
    private long at;

    MappedStream(MemorySegment memory, BufferAllocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    /**
     * A message.
     *
     * @param header its metadata
     * @param body its buffers, which the receiver releases
     */
    record Part(Message header, ArrowBuf body) {}

    /** The next message, empty at the end of the stream. */
    Optional<Part> next() {
        if (at == memory.byteSize()) {
            return Optional.empty();
        }
        int length = number();
        if (length == CONTINUATION) {
            length = number();
        }
        if (length == 0) {
            return Optional.empty();
        }
        ByteBuffer metadata =
                memory.asSlice(take(length), length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        Message header = Message.getRootAsMessage(metadata);
        return Optional.of(new Part(header, body(header.bodyLength())));
    }

    long position() {
        return at;
    }

    long length() {
        return memory.byteSize();
    }

    /** Whether somebody still holds a buffer of the memory. */
    boolean isHeld() {
        return held > 0;
    }

    private ArrowBuf body(long bytes) {
        if (bytes == 0) {
            return allocator.getEmpty();
        }
        ArrowBuf body = allocator.wrapForeignAllocation(new Body(memory.asSlice(take(bytes), bytes)));
        held++;
        return body;
    }

    private int number() {
        return memory.get(ValueLayout.JAVA_INT_UNALIGNED, take(Integer.BYTES));
    }

    /** Moves on by so many bytes; where they begin. */
    private long take(long bytes) {
        if (bytes < 0 || bytes > memory.byteSize() - at) {
            throw new InputInvalidException("not an Arrow stream: a part of " + bytes + " bytes at " + at
                    + ", the input has " + memory.byteSize());
        }
        long from = at;
        at += bytes;
        return from;
    }

    private final class Body extends ForeignAllocation {
        Body(MemorySegment part) {
            super(part.byteSize(), part.address());
        }

        @Override
        protected void release0() {
            held--;
        }
    }
}
