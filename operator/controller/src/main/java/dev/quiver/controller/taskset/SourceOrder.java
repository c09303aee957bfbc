package dev.quiver.controller.taskset;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

import dev.quiver.controller.run.ClassEstimates;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.lifecycle.history.TestNames;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.TaskRendering;
import dev.quiver.lifecycle.taskset.TaskOrder;

/**
 * Makes the order of a source's tasks from what its class knows. Tasks of which nothing is known go first, as the source
 * has them, and then the longest. Pure.
 */
public final class SourceOrder {

    /** Combinations of a matrix that have names in the record; further ones have numbers. */
    static final long MOST_COMBINATIONS = 100_000;

    private SourceOrder() {}

    /** How many tasks of a source have names that a class may know; those of a count have none. */
    static int named(Source source) {
        return switch (source.kind()) {
            case ExecutionSpec.TaskSource.Count _ -> 0;
            case ExecutionSpec.TaskSource.Matrix matrix -> (int) Math.min(matrix.tasks(), MOST_COMBINATIONS);
            case ExecutionSpec.TaskSource.Picked(ExecutionSpec.TaskSource.Count _) -> 0;
            default -> Math.min(source.payloads().size(), TaskOrder.MOST);
        };
    }

    /** The order; absent where no task of the source is known. */
    public static Optional<TaskOrder> of(Source source, ClassEstimates estimates) {
        int tasks = named(source);
        int[] millis = new int[tasks];
        TestNames names = new TestNames(tasks);
        long sum = 0;
        int known = 0;
        for (int task = 0; task < tasks; task++) {
            long usual = estimates.millis(names.next(name(source, task)));
            if (usual > 0) {
                millis[task] = even(usual);
                sum += millis[task];
                known++;
            }
        }
        return known == 0 ? Optional.empty() : Optional.of(sorted(millis, even(sum / known) + 1, percent(estimates)));
    }

    private static OptionalInt percent(ClassEstimates estimates) {
        return estimates.usualError().stream()
                .mapToInt(share -> (int) Math.round(Math.min(100 * share, TaskOrder.MOST_ERROR)))
                .findFirst();
    }

    private static String name(Source source, int task) {
        return TaskRendering.name(
                source.kind(),
                task,
                Optional.of(task).filter(_ -> source.kind().fed()).map(source.payloads()::get));
    }

    private static int even(long millis) {
        return Math.clamp(millis, TaskOrder.LEAST_MILLIS, TaskOrder.MOST_MILLIS) & ~1;
    }

    /**
     * Sorts them.
     *
     * @param millis by number, even; 0 where nothing is known, which becomes {@code unknown}
     * @param unknown milliseconds of a task of which nothing is known, odd
     */
    private static TaskOrder sorted(int[] millis, int unknown, OptionalInt errorPercent) {
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
        return new TaskOrder(sequence, millis, errorPercent);
    }
}
