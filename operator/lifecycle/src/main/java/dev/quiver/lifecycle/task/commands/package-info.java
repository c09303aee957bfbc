/**
 * Work that scripts leave for later, and that any process may do: schedules that fire, chunks that begin or end, the
 * record of a run.
 */
package dev.quiver.lifecycle.task.commands;
