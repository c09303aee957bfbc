package dev.quiver.controller.taskset;

import java.util.Optional;

import dev.quiver.controller.taskset.source.Source;
import dev.quiver.lifecycle.history.TestTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.TaskRendering;
import dev.quiver.lifecycle.taskset.ClaimOrder;
import dev.quiver.lifecycle.taskset.LongestFirst;

/** Makes the order of a source's tasks from what its class knows. Pure. */
final class SourceOrder {

    /** Combinations of a matrix that have names in the record; further ones have numbers. */
    static final long MOST_COMBINATIONS = 100_000;

    private SourceOrder() {}

    /** How many tasks of a source have names that a class may know; those of a count have none. */
    static int named(Source source) {
        return switch (source.kind()) {
            case ExecutionSpec.TaskSource.Count _ -> 0;
            case ExecutionSpec.TaskSource.Matrix matrix -> (int) Math.min(matrix.tasks(), MOST_COMBINATIONS);
            case ExecutionSpec.TaskSource.Picked(ExecutionSpec.TaskSource.Count _) -> 0;
            default -> Math.min(source.payloads().size(), ClaimOrder.MOST);
        };
    }

    /** The order; absent where no task of the source is known. */
    static Optional<ClaimOrder> of(Source source, TestTimes estimates) {
        return LongestFirst.of(named(source), task -> name(source, task), estimates);
    }

    private static String name(Source source, int task) {
        return TaskRendering.name(
                source.kind(),
                task,
                Optional.of(task).filter(_ -> source.kind().fed()).map(source.payloads()::get));
    }
}
