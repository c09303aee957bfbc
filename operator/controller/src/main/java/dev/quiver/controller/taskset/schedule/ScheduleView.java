package dev.quiver.controller.taskset.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetScheduleStatus;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.crds.v1alpha1.TaskSetStatus;

/**
 * The facts about a schedule at the start of a reconcile.
 *
 * @param set that has it
 * @param before the status last written; empty components when there was none
 * @param runs that exist, the latest first
 * @param store whether Redis can be used
 * @param now by the operator's clock
 */
record ScheduleView(TaskSet set, TaskSetStatus before, List<ScheduledRun> runs, StoreState store, Instant now) {

    TaskSetSpec spec() {
        return set.getSpec();
    }

    TaskSchedule schedule() {
        return set.getSpec().schedule();
    }

    Optional<TaskSetScheduleStatus> last() {
        return Optional.ofNullable(before.schedule());
    }

    /** Whether no run may begin. */
    boolean resting() {
        return spec().suspend() || schedule().suspend();
    }

    /** Those that are not over. */
    List<ScheduledRun> going() {
        return runs.stream().filter(ScheduledRun::goesOn).toList();
    }

    Optional<ScheduledRun> runOf(Instant due) {
        return runs.stream().filter(run -> run.due().equals(due)).findFirst();
    }
}
