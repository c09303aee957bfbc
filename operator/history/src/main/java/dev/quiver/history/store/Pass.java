package dev.quiver.history.store;

/**
 * A first-time pass.
 *
 * @param task its number
 * @param worker id of its worker
 * @param slot of the worker
 * @param finishedAt milliseconds since 1970
 * @param runMillis how long it ran
 */
public record Pass(long task, long worker, int slot, long finishedAt, long runMillis) {}
