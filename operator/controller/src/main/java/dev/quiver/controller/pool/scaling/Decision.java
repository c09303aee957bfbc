package dev.quiver.controller.pool.scaling;

import java.time.Instant;
import java.util.Optional;

/**
 * How many pods there should be.
 *
 * @param desired within the bounds of the pool
 * @param need that it follows from; absent while the figures are missing, and the pods stay as they are
 * @param memory for the next decision
 * @param until when it has to be made again, though nothing else changes; absent for never
 */
public record Decision(int desired, Optional<Need> need, ScalingMemory memory, Optional<Instant> until) {}
