/**
 * What scripts leave to be done later, and any process may do: schedules that fire, chunks that begin or end, the
 * record of a run.
 */
package dev.quiver.lifecycle.task.commands;
