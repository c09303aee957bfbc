package dev.quiver.slots;

/**
 * How far a trial came, in units of its own.
 *
 * @param done units that are done; 0 if it never said
 * @param total units in all; 0 if it does not know
 */
public record Progress(long done, long total) {}
