package dev.quiver.sdk;

import static java.util.Collections.singletonList;

import java.util.List;

/**
 * A function that takes all tasks of a dispatch in one call: 1 to 64, in the thread that called {@link Handlers#serve}.
 *
 * <p>They share the sum of their time limits. An exception that it throws is no task's in particular: the worker runs each
 * of them again, alone, in a list of one. In a map of handlers, {@link #of} tells a lambda of two lists from one of a
 * single task.
 */
@FunctionalInterface
public interface BatchHandler extends Handler {
    /**
     * Runs the tasks.
     *
     * @param inputs of the tasks, in their order; an input of an unknown format fails alone and is not among them
     * @param tasks as many
     * @return a result for each task, in their order
     */
    List<Result> handleAll(List<Input> inputs, List<Task> tasks) throws Exception;

    /** Runs one task alone. */
    @Override
    default Output handle(Input input, Task task) throws Exception {
        Result result = Result.checked(handleAll(singletonList(input), singletonList(task)), 1)
                .getFirst();
        if (result.failure() != null) {
            throw result.failure();
        }
        return result.output();
    }

    /** The same function, as a handler. */
    static BatchHandler of(BatchHandler function) {
        return function;
    }
}
