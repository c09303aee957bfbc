package dev.quiver.lifecycle.task.model;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunOpening;

/**
 * How the run of a tree is recorded.
 *
 * @param recording what is recorded of its trials
 * @param opening the facts of the run; of a schedule those that its runs share
 */
public record TreeRecord(Recording recording, RunOpening opening) {}
