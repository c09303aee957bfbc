package dev.quiver.slots;

/**
 * The task that a slot was given last, whatever became of it. Written by supervisors alone, so that it can be believed.
 *
 * @param generation of the slot at that dispatch
 * @param taskHash {@linkplain TaskHash SHA-256} of the task's id, 64 hexadecimal digits
 * @param trial number of the trial, from 1
 */
public record DispatchedTask(long generation, String taskHash, int trial) {}
