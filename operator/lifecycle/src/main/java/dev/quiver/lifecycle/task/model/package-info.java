/**
 * A tree before it is created and the state it is in afterwards, without I/O: nodes, what they execute, chunks,
 * errors, reports, and the times of a schedule.
 */
package dev.quiver.lifecycle.task.model;
