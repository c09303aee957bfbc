package dev.quiver.lifecycle.taskset;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.OptionalInt;

import dev.quiver.lifecycle.history.TestNames;

/**
 * The order in which the first tasks of a TaskSet are given out, and how long each is expected to take. Tasks behind them
 * follow in the order of their numbers. Immutable.
 *
 * <p>In Redis it is one string of numbers of 32 bits, little endian. First come number and milliseconds of each task in the
 * order of giving out, then the milliseconds by number. Even milliseconds are known, odd ones are those of a task of
 * which nothing is known.
 */
public final class ClaimOrder {

    /** Tasks of an order at most. */
    public static final int MOST = TestNames.MOST;

    /** Milliseconds of a task at least and at most: about twelve days. */
    public static final int LEAST_MILLIS = 2;

    public static final int MOST_MILLIS = 1 << 30;

    /** Percent of an error at most. */
    public static final int MOST_ERROR = 100_000;

    private static final int PLACE_BYTES = 2 * Integer.BYTES;
    private static final int BYTES = PLACE_BYTES + Integer.BYTES;

    private final byte[] bytes;
    private final long millis;
    private final OptionalInt errorPercent;

    /**
     * Checks and keeps an order.
     *
     * @param sequence each number from 0 on once, as they are given out
     * @param millis of each task, by its number, from {@link #LEAST_MILLIS} to {@link #MOST_MILLIS} + 1; odd where
     *     nothing is known of it
     * @param errorPercent by how much the time of a whole run is usually off, at most {@link #MOST_ERROR}; absent where
     *     nobody knows
     */
    public ClaimOrder(int[] sequence, int[] millis, OptionalInt errorPercent) {
        if (sequence.length == 0 || sequence.length > MOST || sequence.length != millis.length) {
            throw new IllegalArgumentException("an order has 1 to " + MOST + " tasks, each with its time, not "
                    + sequence.length + " with " + millis.length);
        }
        ByteBuffer buffer = ByteBuffer.allocate(sequence.length * BYTES).order(ByteOrder.LITTLE_ENDIAN);
        boolean[] seen = new boolean[sequence.length];
        long sum = 0;
        for (int task : sequence) {
            if (task < 0 || task >= seen.length || seen[task]) {
                throw new IllegalArgumentException("task " + task + " is none of " + seen.length + ", or there twice");
            }
            seen[task] = true;
            buffer.putInt(task).putInt(checked(millis[task]));
            sum += millis[task];
        }
        for (int each : millis) {
            buffer.putInt(each);
        }
        this.bytes = buffer.array();
        this.millis = sum;
        this.errorPercent = errorPercent.stream()
                .map(percent -> Math.clamp(percent, 0, MOST_ERROR))
                .findFirst();
    }

    private static int checked(int millis) {
        if (millis < LEAST_MILLIS || millis > MOST_MILLIS + 1) {
            throw new IllegalArgumentException(
                    "a task takes " + LEAST_MILLIS + " to " + MOST_MILLIS + " ms, not " + millis);
        }
        return millis;
    }

    /** How many tasks it has. */
    public int tasks() {
        return bytes.length / BYTES;
    }

    /** How long all of them take, one after the other. */
    public long millis() {
        return millis;
    }

    /** By how many percent the time of a whole run is usually off. */
    public OptionalInt errorPercent() {
        return errorPercent;
    }

    /** The task that is given out at a place, from 0 on. */
    public int task(int place) {
        return buffer().getInt(place * PLACE_BYTES);
    }

    /** Milliseconds of a task, by its number. */
    public int millisOf(int task) {
        return buffer().getInt(tasks() * PLACE_BYTES + task * Integer.BYTES);
    }

    /** Bytes of the string. */
    int size() {
        return bytes.length;
    }

    /** A part of the string. */
    byte[] part(int from, int most) {
        return Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + most));
    }

    private ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
