package dev.quiver.lifecycle.execution;

/**
 * Where a task stands in the record.
 *
 * @param run uid of its run
 * @param task its number within the run, from 0
 * @param recording what is recorded of it
 */
public record RecordedTask(String run, long task, Recording recording) {}
