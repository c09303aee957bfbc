package dev.quiver.lifecycle.ordinals;

import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;

/** The differences between two kinds of sources of numbered tasks. A kind keeps no state and is thread-safe. */
public interface OrdinalKind {

    /** Whether the source of this name in the pool's order is of this kind. */
    boolean owns(String source);

    /** The keys of a source of this kind. */
    OrdinalKeys keys(String source);

    /**
     * One attempt of a task.
     *
     * @param spec the specification of all tasks of the source
     * @param ordinal the number of the task
     * @param trial this attempt's number, from 1
     * @param payload absent where the number alone determines the task
     */
    RunnableTask task(String source, ExecutionSpec spec, long ordinal, int trial, Optional<String> payload);
}
