/**
 * The lifecycle of a TaskSet: {@link dev.quiver.lifecycle.taskset.TaskSetControl} for the operator,
 * {@link dev.quiver.lifecycle.worker.TaskSetWork} for supervisors, one script for each multi-key change. Start at
 * {@link dev.quiver.lifecycle.TaskSetDialect}.
 */
package dev.quiver.lifecycle.taskset;
