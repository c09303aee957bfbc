package dev.quiver.history.store;

import java.util.Arrays;

import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.StepRowsReader;

/**
 * Reads packed passes of every version ever released. Version 1 is of a step: one worker, times before the step.
 * Version 2 is a sealed block of many workers, by task:
 *
 * <pre>
 *   2, number of passes, then for each: difference of the task to the one before, worker, slot,
 *   difference of its end to the base, run time
 * </pre>
 *
 * Numbers are LEB128, differences zigzag. Stateless.
 */
public final class PassBlock {

    /** Tasks of a sealed block. */
    static final int TASKS = 4096;

    private static final int SEALED = 2;
    private static final int LARGEST = 1 << 24;

    /** Takes passes one by one. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * One pass.
         *
         * @param finishedAt milliseconds since 1970
         */
        void pass(long task, long worker, int slot, long finishedAt, long runMillis);
    }

    private PassBlock() {}

    /**
     * Gives each pass to the visitor.
     *
     * @param worker of the row, 0 for a sealed block
     * @param baseAt of the row
     * @throws IllegalStateException for a block that cannot be read: a fault of the database
     */
    public static void read(byte[] packed, long worker, long baseAt, Visitor visitor) {
        if (packed.length > 0 && packed[0] == SEALED) {
            sealed(packed, baseAt, visitor);
            return;
        }
        try {
            StepRowsReader rows = StepRows.read(packed, LARGEST);
            while (rows.next()) {
                visitor.pass(rows.task(), worker, rows.slot(), baseAt - rows.endedMillis(), rows.runMillis());
            }
        } catch (MalformedEntryException e) {
            throw new IllegalStateException("passes that cannot be read", e);
        }
    }

    private static void sealed(byte[] packed, long baseAt, Visitor visitor) {
        int[] at = {1};
        long count = number(packed, at);
        long task = 0;
        for (long i = 0; i < count; i++) {
            task += difference(packed, at);
            long worker = number(packed, at);
            int slot = packed[at[0]++] & 0x3f;
            long finished = baseAt + difference(packed, at);
            visitor.pass(task, worker, slot, finished, number(packed, at));
        }
    }

    private static long number(byte[] packed, int[] at) {
        long value = 0;
        int shift = 0;
        byte octet;
        do {
            octet = packed[at[0]++];
            value |= (long) (octet & 0x7f) << shift;
            shift += 7;
        } while (octet < 0);
        return value;
    }

    private static long difference(byte[] packed, int[] at) {
        long value = number(packed, at);
        return (value >>> 1) ^ -(value & 1);
    }

    /** Makes a sealed block. Not thread-safe. */
    static final class Builder {

        private byte[] bytes = new byte[TASKS * 8];
        private int length;
        private long previous;
        private int n;

        final long baseAt;

        Builder(long baseAt) {
            this.baseAt = baseAt;
        }

        void add(long task, long worker, int slot, long finishedAt, long runMillis) {
            if (bytes.length - length < 48) {
                bytes = Arrays.copyOf(bytes, bytes.length * 2);
            }
            putDifference(task - previous);
            putNumber(worker);
            bytes[length++] = (byte) slot;
            putDifference(finishedAt - baseAt);
            putNumber(runMillis);
            previous = task;
            n++;
        }

        byte[] toBytes() {
            Builder head = new Builder(0);
            head.bytes[head.length++] = SEALED;
            head.putNumber(n);
            byte[] all = Arrays.copyOf(head.bytes, head.length + length);
            System.arraycopy(bytes, 0, all, head.length, length);
            return all;
        }

        private void putDifference(long value) {
            putNumber((value << 1) ^ (value >> 63));
        }

        private void putNumber(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                bytes[length++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            bytes[length++] = (byte) rest;
        }
    }
}
