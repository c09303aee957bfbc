package dev.quiver.controller.taskset;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.RunPace;
import dev.quiver.lifecycle.taskset.TaskSetState;

/** The time until the next reconcile of a TaskSet, if no event wakes it before. Pure. */
final class TaskSetPace {

    /** A missing ConfigMap is requested by name after this time. */
    static final Duration SOURCE = Duration.ofSeconds(5);

    private TaskSetPace() {}

    /**
     * The shortest wait of the run.
     *
     * @param statusTurn when the status may be written; absent when it was written
     * @param storeUp whether Redis can be used, as of the operator's last look at it
     */
    static Duration next(
            TaskSetView view, TaskSetActions.Applied applied, Optional<Duration> statusTurn, boolean storeUp) {
        boolean over = applied.plan() instanceof TaskSetPlan.Conclude
                || view.store().snapshot().filter(s -> s.status().isFinal()).isPresent();
        if (over && statusTurn.isEmpty()) {
            return RunPace.AT_ONCE;
        }
        return RunPace.soonest(List.of(
                statusTurn,
                applied.plan() instanceof TaskSetPlan.Hold hold ? hold(hold) : Optional.empty(),
                storeUp && storeBehind(view, applied) ? Optional.of(RunPace.STORE) : Optional.empty(),
                TaskSetHandler.of(view).flatMap(any -> TaskSetHandler.untilOverdue(view)),
                Optional.of(RunPace.BLOCKED).filter(_ -> view.blockage().waiting() > 0),
                deadline(view)));
    }

    private static Optional<Duration> hold(TaskSetPlan.Hold hold) {
        return switch (hold.reason()) {
            case SourceNotFound, WaitingForSource, WaitingForRun, RecordNotRead, Accepting -> Optional.of(SOURCE);
            case WorkerPoolRefused -> Optional.of(RunPace.POOL);
            default -> Optional.empty();
        };
    }

    /** Whether Redis did not answer, or does not have the present spec yet. */
    private static boolean storeBehind(TaskSetView view, TaskSetActions.Applied applied) {
        boolean unsynced = applied.plan() instanceof TaskSetPlan.Steer && !applied.synced();
        return unsynced || view.store() instanceof ObservedStore.Away<?>;
    }

    private static Optional<Duration> deadline(TaskSetView view) {
        return view.store()
                .snapshot()
                .filter(run -> run.status() == TaskSetState.RUNNING)
                .flatMap(run -> RunPace.deadline(view.spec().activeDeadline(), run.startedAt(), run.storeTime()));
    }
}
