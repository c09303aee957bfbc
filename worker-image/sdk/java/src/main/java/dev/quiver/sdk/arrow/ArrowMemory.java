package dev.quiver.sdk.arrow;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ReferenceManager;
import org.apache.arrow.memory.RootAllocator;

/** Memory for vectors from java.lang.foreign: neither Netty nor anything hidden in the JDK is needed. */
public final class ArrowMemory {
    private static final long ALIGNMENT = 64;

    private static final AllocationManager.Factory FACTORY = new AllocationManager.Factory() {
        @Override
        public AllocationManager create(BufferAllocator accounting, long size) {
            return new Chunk(accounting, size);
        }

        @Override
        public ArrowBuf empty() {
            return EMPTY;
        }
    };

    static {
        becomeTheDefault();
    }

    private static final ArrowBuf EMPTY = new ArrowBuf(ReferenceManager.NO_OP, null, 0, 0);
    private static final BufferAllocator ALLOCATOR = newAllocator(Long.MAX_VALUE);

    private ArrowMemory() {}

    /** The process's allocator, for vectors that a handler makes. Thread-safe, never to be closed. */
    public static BufferAllocator allocator() {
        return ALLOCATOR;
    }

    /** An allocator of its own with a limit in bytes, to be closed by who made it. */
    public static BufferAllocator newAllocator(long limit) {
        return new RootAllocator(RootAllocator.configBuilder()
                .allocationManagerFactory(FACTORY)
                .maxAllocation(limit)
                .build());
    }

    /** Arrow's classes do not load without a default manager of memory, which two other artifacts bring. */
    private static void becomeTheDefault() {
        try {
            Field known = Class.forName("org.apache.arrow.memory.DefaultAllocationManagerOption")
                    .getDeclaredField("DEFAULT_ALLOCATION_MANAGER_FACTORY");
            known.setAccessible(true);
            if (known.get(null) == null) {
                known.set(null, FACTORY);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this version of Arrow Java takes no allocator of ours", e);
        }
    }

    /** One allocation; given back with its last buffer. */
    private static final class Chunk extends AllocationManager {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment memory;

        Chunk(BufferAllocator accounting, long size) {
            super(accounting);
            memory = arena.allocate(Math.max(size, 1), ALIGNMENT);
        }

        @Override
        public long getSize() {
            return memory.byteSize();
        }

        @Override
        protected long memoryAddress() {
            return memory.address();
        }

        @Override
        protected void release0() {
            arena.close();
        }
    }
}
