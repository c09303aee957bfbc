/**
 * The lifecycle of a TaskSet, with one script for each multi-key change. {@link
 * dev.quiver.lifecycle.taskset.TaskSetControl} is for the operator, {@link dev.quiver.lifecycle.worker.WorkerSessions}
 * for supervisors. A TaskSet is a source of numbered tasks, see {@link dev.quiver.lifecycle.ordinals}. Start at {@link
 * dev.quiver.lifecycle.Lifecycle}.
 */
package dev.quiver.lifecycle.taskset;
