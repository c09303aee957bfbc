/**
 * TaskSets: {@link dev.quiver.controller.taskset.TaskSetPlanner} decides what a set needs next,
 * {@link dev.quiver.controller.taskset.TaskSetStatusCalculator} computes its status, the reconciler acts and writes.
 */
package dev.quiver.controller.taskset;
