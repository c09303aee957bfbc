package dev.quiver.lifecycle.ordinals;

import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;

/** All that differs between two kinds of sources of numbered tasks. A kind keeps no state and is thread-safe. */
public interface OrdinalKind {

    /** Whether this source, as it stands in the pool's order, is of this kind. */
    boolean owns(String source);

    /** The keys of a source of this kind. */
    OrdinalKeys keys(String source);

    /**
     * One attempt of a task.
     *
     * @param spec what all tasks of the source execute
     * @param ordinal the number of the task
     * @param trial this attempt's number, from 1
     * @param payload absent where the number says all
     */
    RunnableTask task(String source, ExecutionSpec spec, long ordinal, int trial, Optional<String> payload);
}
