package dev.quiver.lifecycle.execution;

import java.util.Optional;

/**
 * Where a task stands in the record.
 *
 * @param run uid of its run
 * @param task its number within the run, from 0
 * @param recording what is recorded of it
 * @param name where nothing but its own rows names it to the record; absent where its run's names do
 */
public record RecordedTask(String run, long task, Recording recording, Optional<String> name) {

    /** A task that its run names. */
    public RecordedTask(String run, long task, Recording recording) {
        this(run, task, recording, Optional.empty());
    }
}
