/**
 * TaskSets: {@link dev.quiver.controller.taskset.RunPlanner} decides what a run needs next,
 * {@link dev.quiver.controller.taskset.RunStatus} says how it stands, the reconciler acts and writes.
 */
package dev.quiver.controller.taskset;
