package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * How far a set is that gives its tasks out by a {@link ClaimOrder}.
 *
 * @param tasks that the order has
 * @param given tasks of the set that were given out for the first time, those behind the order too
 * @param whole how long all tasks of the order take, one after the other, as earlier runs tell
 * @param fresh the same of those that were never given out
 * @param errorPercent by how much the time of a whole run is usually off; absent where nobody knows
 */
public record OrderProgress(long tasks, long given, Duration whole, Duration fresh, OptionalInt errorPercent) {}
