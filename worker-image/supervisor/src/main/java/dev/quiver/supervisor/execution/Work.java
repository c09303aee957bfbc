package dev.quiver.supervisor.execution;

import dev.quiver.lifecycle.taskset.Claim;
import dev.quiver.lifecycle.taskset.ExecutionSpec;

/**
 * One attempt to run.
 *
 * @param spec what tasks of the set execute
 * @param claim which task it is, as Redis gave it
 */
public record Work(ExecutionSpec spec, Claim claim) {}
