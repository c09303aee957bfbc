package dev.quiver.supervisor.execution;

/**
 * The run that a slot was given last, whatever became of it.
 *
 * @param token names that use of the slot; a later use has a higher one
 * @param mark of the run
 */
public record SlotUse(long token, TaskMark mark) {}
