package dev.quiver.slots;

import dev.quiver.slots.layout.ControlDescriptor;

/**
 * The number and sizes of a worker pod's slots, and from them the exact sizes of its two memory volumes.
 *
 * <p>The supervisor allocates the volume {@code in} (inputs, {@code control}, socket), which is charged to the
 * supervisor's container. The agent allocates the volume {@code out} (outputs and captured tails), which is charged to
 * the user's container. Every file is allocated when the pod starts, and a {@code sizeLimit} should be exactly these
 * sums. Then a task that fills a volume gets ENOSPC, and no other task that writes its output in place does. Immutable.
 *
 * @param slots number of slots, {@value #MIN_SLOTS} to {@value #MAX_SLOTS}
 * @param inputBytes bytes of each slot's input (payload and command record together), at least {@value #MIN_BYTES}
 * @param outputBytes bytes that each task may write to its output, at least {@value #MIN_BYTES}
 */
public record Geometry(int slots, long inputBytes, long outputBytes) {
    /** The fewest slots of a pod. */
    public static final int MIN_SLOTS = 1;

    /** The most slots of a pod. */
    public static final int MAX_SLOTS = 64;

    /** The smallest input or output of a slot: 4 KiB. */
    public static final long MIN_BYTES = 4096;

    /** The most that both volumes of a pod may take together: 16 GiB and the fixed parts. */
    public static final long MAX_DATA_BYTES = 16L << 30;

    /** Files are rounded up to whole pages of this size, the smallest on which Linux nodes run. */
    public static final long PAGE_BYTES = 4096;

    /** Bytes kept of a task's stdout, and as many of its stderr: the last 16 KiB. */
    public static final int TAIL_BYTES = 16 * 1024;

    /** Bytes kept of what a slot's process prints between tasks: the last 4 KiB, in whole lines. */
    public static final int LOG_BYTES = 4 * 1024;

    /** Memory of the agent and of each runner, an estimate measured at about half of it. */
    private static final long EXECUTOR_BYTES = 512 * 1024;

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException naming the field, its value and what is allowed
     */
    public Geometry {
        if (slots < MIN_SLOTS || slots > MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "slots.count is " + slots + ": allowed are " + MIN_SLOTS + " to " + MAX_SLOTS);
        }
        requireBounded("slots.inputSize", inputBytes);
        requireBounded("slots.outputSize", outputBytes);
        long sum = slots * (pages(inputBytes) + pages(outputBytes));
        if (sum > MAX_DATA_BYTES) {
            throw new IllegalArgumentException("slots.count × (slots.inputSize + slots.outputSize) is " + slots + " × ("
                    + inputBytes + " + " + outputBytes + ") = " + sum + " bytes: at most " + MAX_DATA_BYTES
                    + " (16Gi) are allowed");
        }
    }

    /** Bytes of the {@code control} file. */
    public long controlBytes() {
        return pages(ControlDescriptor.bytes(slots));
    }

    /** Bytes that each input file takes in the volume: {@link #inputBytes} in whole pages. */
    public long inputFileBytes() {
        return pages(inputBytes);
    }

    /** Bytes that each output file takes in the volume: {@link #outputBytes} in whole pages. */
    public long outputFileBytes() {
        return pages(outputBytes);
    }

    /** All inputs together: what a supervisor needs beside its own heap. */
    public long inputsBytes() {
        return slots * inputFileBytes();
    }

    /**
     * The exact {@code sizeLimit} of the volume {@code in}: inputs, and {@code control} twice. An agent still maps the
     * old region's file while a new one is made. The socket takes no page.
     */
    public long inVolumeBytes() {
        return 2 * controlBytes() + inputsBytes();
    }

    /**
     * The exact {@code sizeLimit} of the volume {@code out}: what is allocated, and for each slot the room of one more
     * output and of a log. A task may write its result beside the output and then put it in the output's place.
     */
    public long outVolumeBytes() {
        return allocatedOutBytes() + slots * (outputFileBytes() + pages(LOG_BYTES));
    }

    /** Bytes of the volume {@code out} that are allocated from the start: outputs and the tails of stdout and stderr. */
    public long allocatedOutBytes() {
        return slots * (outputFileBytes() + 2 * pages(TAIL_BYTES));
    }

    /**
     * Memory that the executors take from the user's container. It is what is allocated in the volume {@code out}, and
     * each slot's log and a generous estimate for the agent and each runner. The estimate covers its record in {@code exec}, buffers and
     * page tables. A file that a task puts in its output's place is the task's memory.
     */
    public long userMemoryBytes() {
        return allocatedOutBytes() + slots * pages(LOG_BYTES) + (slots + 1) * EXECUTOR_BYTES;
    }

    private static void requireBounded(String field, long bytes) {
        if (bytes < MIN_BYTES || bytes > MAX_DATA_BYTES) {
            throw new IllegalArgumentException(field + " is " + bytes + " bytes: allowed are " + MIN_BYTES
                    + " (4Ki) to " + MAX_DATA_BYTES + " (16Gi)");
        }
    }

    /** Whole pages that hold so many bytes, in bytes. */
    static long pages(long bytes) {
        return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}
