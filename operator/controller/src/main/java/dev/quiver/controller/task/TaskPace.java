package dev.quiver.controller.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.RunPace;
import dev.quiver.crds.v1alpha1.TaskReason;

/**
 * The time until the next reconcile of a Task, if no event wakes it before. Deadlines and times of start are commands in
 * Redis, whose effect is a change of the tree. Pure.
 */
final class TaskPace {

    /** Redis may take the tree now. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    /** Other programs report nothing. */
    private static final Duration FOREIGN = Duration.ofSeconds(2);

    private TaskPace() {}

    /**
     * The shortest wait of the Task.
     *
     * @param statusTurn when the status may be written; absent when it was written
     * @param storeUp whether Redis can be used, as of the operator's last look at it
     */
    static Duration next(TaskView view, TaskActions.Applied applied, Optional<Duration> statusTurn, boolean storeUp) {
        boolean over = applied.plan() instanceof TaskPlan.Conclude
                || (view.recurring()
                        ? ScheduleStatus.outcome(view).isPresent()
                        : view.tree().filter(ObservedTree::over).isPresent());
        if (over && statusTurn.isEmpty()) {
            return RunPace.AT_ONCE;
        }
        return RunPace.soonest(List.of(
                statusTurn,
                applied.plan() instanceof TaskPlan.Hold(TaskReason reason, String _) && reason == TaskReason.Accepting
                        ? Optional.of(AGAIN)
                        : Optional.empty(),
                Optional.of(FOREIGN)
                        .filter(_ -> view.layout() instanceof TaskLayout.Idoit
                                && view.store().snapshot().isPresent()),
                storeUp && storeBehind(view, applied) ? Optional.of(RunPace.STORE) : Optional.empty(),
                TaskHandlers.untilOverdue(view)));
    }

    /** Whether Redis did not answer, or does not have the present spec yet. */
    private static boolean storeBehind(TaskView view, TaskActions.Applied applied) {
        boolean steered = applied.plan() instanceof TaskPlan.Steer
                || applied.plan() instanceof TaskPlan.Recur recur
                        && recur.withheld().isEmpty();
        boolean unsynced = steered && !applied.synced();
        return unsynced || view.store() instanceof ObservedStore.Away<?>;
    }
}
