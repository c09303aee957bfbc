package dev.quiver.sdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * struct qv_task of quiver/handler.h. Its pointers are valid until the slot is released.
 *
 * <pre>
 *   0   u32 bytes, trial, allowed, format, locator, environmentCount
 *   24  u64 generation, deadline
 *   40  input, u64 inputLength, outputLimit
 *   64  handler, name, environment, u64 environmentBytes, id
 *   104 u64 inputOffset, keptBytes
 * </pre>
 */
final class TaskRecord {
    private static final int BYTES = 120;
    private static final long TEXT_MOST = 1 << 20;

    final MemorySegment memory = Arena.global().allocate(BYTES, 8);

    TaskRecord() {
        memory.set(ValueLayout.JAVA_INT, 0, BYTES);
    }

    int trial() {
        return memory.get(ValueLayout.JAVA_INT, 4);
    }

    int allowed() {
        return memory.get(ValueLayout.JAVA_INT, 8);
    }

    int format() {
        return memory.get(ValueLayout.JAVA_INT, 12);
    }

    boolean isLocator() {
        return memory.get(ValueLayout.JAVA_INT, 16) != 0;
    }

    long generation() {
        return memory.get(ValueLayout.JAVA_LONG, 24);
    }

    MemorySegment input() {
        return pointed(40, memory.get(ValueLayout.JAVA_LONG, 48));
    }

    long outputLimit() {
        return memory.get(ValueLayout.JAVA_LONG, 56);
    }

    /** Whether all that the process prints for the task is kept. */
    boolean keepsStreams() {
        return memory.get(ValueLayout.JAVA_LONG, 112) != 0;
    }

    String handler() {
        return pointed(64, TEXT_MOST).getString(0);
    }

    String name() {
        return pointed(72, TEXT_MOST).getString(0);
    }

    /** A copy of the variables, each ended by NUL. */
    byte[] environment() {
        return pointed(80, memory.get(ValueLayout.JAVA_LONG, 88)).toArray(ValueLayout.JAVA_BYTE);
    }

    @SuppressWarnings("restricted")
    private MemorySegment pointed(long at, long bytes) {
        return memory.get(ValueLayout.ADDRESS, at).reinterpret(bytes);
    }
}
