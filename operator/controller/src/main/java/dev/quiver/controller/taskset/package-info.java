/**
 * TaskSets: {@link dev.quiver.controller.taskset.TaskSetPlanner} decides the next act of a set. {@link
 * dev.quiver.controller.taskset.TaskSetStatusCalculator} computes its status, and the reconciler acts and writes.
 */
package dev.quiver.controller.taskset;
