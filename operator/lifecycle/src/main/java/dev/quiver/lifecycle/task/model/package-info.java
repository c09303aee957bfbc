/**
 * A tree before it is created, and its state afterwards, without I/O. The classes are nodes, what they execute, chunks,
 * errors, reports, and the times of a schedule.
 */
package dev.quiver.lifecycle.task.model;
