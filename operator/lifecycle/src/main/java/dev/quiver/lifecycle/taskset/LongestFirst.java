package dev.quiver.lifecycle.taskset;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;

import dev.quiver.lifecycle.history.TestNames;
import dev.quiver.lifecycle.history.TestTimes;

/**
 * Makes the order of a run's tasks from what its class knows. Tasks of which nothing is known go first, as the source has
 * them, and then the longest. Stateless.
 */
public final class LongestFirst {

    private LongestFirst() {}

    /**
     * Makes the order.
     *
     * @param tasks their number, at most {@link ClaimOrder#MOST}
     * @param name of a task, by its number from 0
     * @param estimates of the class
     * @return absent where no task is known
     */
    public static Optional<ClaimOrder> of(int tasks, IntFunction<String> name, TestTimes estimates) {
        int[] millis = new int[tasks];
        TestNames names = new TestNames(tasks);
        long sum = 0;
        int known = 0;
        for (int task = 0; task < tasks; task++) {
            long usual = estimates.millis(names.nextHash(name.apply(task)));
            if (usual > 0) {
                millis[task] = even(usual);
                sum += millis[task];
                known++;
            }
        }
        return known == 0 ? Optional.empty() : Optional.of(sorted(millis, even(sum / known) + 1, percent(estimates)));
    }

    private static OptionalInt percent(TestTimes estimates) {
        return estimates.usualError().stream()
                .mapToInt(share -> (int) Math.round(Math.min(100 * share, ClaimOrder.MOST_ERROR)))
                .findFirst();
    }

    private static int even(long millis) {
        return Math.clamp(millis, ClaimOrder.LEAST_MILLIS, ClaimOrder.MOST_MILLIS) & ~1;
    }

    /**
     * Sorts them.
     *
     * @param millis by number, even; 0 where nothing is known, which becomes {@code unknown}
     * @param unknown milliseconds of a task of which nothing is known, odd
     */
    private static ClaimOrder sorted(int[] millis, int unknown, OptionalInt errorPercent) {
        long[] keys = new long[millis.length];
        for (int task = 0; task < keys.length; task++) {
            // Longer ones are less, and of the same time the lower number is.
            long length = millis[task] == 0 ? Integer.MAX_VALUE : millis[task];
            keys[task] = (Integer.MAX_VALUE - length) << Integer.SIZE | task;
            millis[task] = millis[task] == 0 ? unknown : millis[task];
        }
        Arrays.sort(keys);
        int[] sequence = new int[keys.length];
        for (int place = 0; place < sequence.length; place++) {
            sequence[place] = (int) keys[place];
        }
        return new ClaimOrder(sequence, millis, errorPercent);
    }
}
