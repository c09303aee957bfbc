/**
 * Hands tasks to another process through shared memory and trusts nothing that comes back.
 *
 * <p>{@link dev.quiver.slots.SlotBoard} is the supervisor's side. It lays out the volumes and hands a task over with
 * one store and one wake. It reports what the executors did as {@link dev.quiver.slots.SlotEvent}s.
 * {@link dev.quiver.slots.Geometry} says how large the volumes must be. The layout itself is in {@code layout}, the
 * system calls in {@code linux}; DESIGN.md has the picture.
 */
package dev.quiver.slots;
