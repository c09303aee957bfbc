package dev.quiver.lifecycle.task.chunks;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Redis had no memory for the chunks of a node. The chunks that were brought are gone again, so others may fit, and
 * these may fit later. Pure.
 *
 * @param times in a row, this one included
 * @param tookRoom whether some of its chunks were there: else others alone have used the memory up
 * @param othersCome whether chunks of other nodes come, or wait for memory as well
 * @param othersWork whether other nodes of the keyspace have chunks that are at work
 */
public record MemoryRefusal(long times, boolean tookRoom, boolean othersCome, boolean othersWork) {

    /** Refusals in a row that end a task when no other chunks are there: about fifteen seconds. */
    static final int MOST_ALONE = 6;

    /**
     * Refusals in a row that end a task when chunks of others come, too, and none are at work. They last about a minute
     * and a half, in which those that fit do come. A task that brings its chunks in pages keeps the earlier ones, and
     * two such tasks would wait for each other without end.
     */
    static final int MOST_BESIDE_OTHERS = 10;

    private static final long FIRST_MILLIS = 1000;
    private static final long LONGEST_MILLIS = 20_000;

    /** Whether waiting would not help. */
    public boolean isFinal() {
        if (!tookRoom || othersWork) {
            return false; // they give memory back when they end
        }
        return times >= (othersCome ? MOST_BESIDE_OTHERS : MOST_ALONE);
    }

    /** Until the task runs again: none after the first refusal, then longer each time, and not the same for all. */
    public Duration pause(RandomGenerator random) {
        if (times <= 1) {
            return Duration.ZERO;
        }
        long most = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(times - 2, 10));
        return Duration.ofMillis(most / 2 + random.nextLong(most));
    }

    /** For people, of a task that will not run again. */
    public String words(int chunks, long bytes) {
        return "Redis has no memory for the " + chunks + " chunks of " + bytes + " bytes: it refused them " + times
                + " times, while "
                + (othersCome ? "no chunks of others were at work" : "no chunks of others were there");
    }
}
