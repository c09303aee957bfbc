package dev.quiver.controller.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskRun;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.lifecycle.task.ScheduleReport;
import dev.quiver.lifecycle.task.TreeState;

/** The status of a schedule. Pure. */
final class ScheduleStatus {

    /** A run with its times, and the names of its fields. */
    private static final int RUN_BYTES = 210;

    private static final int BYTES = 200;

    private ScheduleStatus() {}

    static TaskScheduleStatus of(TaskView view, ScheduleReport there) {
        boolean resting = view.spec().suspend() || view.spec().schedule().suspend();
        return new TaskScheduleStatus(
                there.last().map(TaskStatusCalculator::text).orElse(null),
                there.next()
                        .filter(_ -> !resting)
                        .map(TaskStatusCalculator::text)
                        .orElse(null),
                there.succeeded().map(TaskStatusCalculator::text).orElse(null),
                there.missed(),
                runs(view.spec().schedule(), there));
    }

    /** How many bytes it takes at most. */
    static int bytes(TaskScheduleStatus status) {
        return status == null ? 0 : BYTES + RUN_BYTES * status.runs().size();
    }

    /** Those beyond the limits are forgotten a moment later. */
    private static List<TaskRun> runs(TaskSchedule limits, ScheduleReport there) {
        List<TaskRun> runs = new ArrayList<>();
        int succeeded = limits.successfulRunsHistoryLimit();
        int failed = limits.failedRunsHistoryLimit();
        for (ScheduleReport.Run run : there.runs()) {
            boolean kept = run.ended().isEmpty() || (run.succeeded() ? succeeded-- : failed--) > 0;
            if (kept && runs.size() < TaskScheduleStatus.MAX_RUNS) {
                runs.add(row(run));
            }
        }
        return runs;
    }

    private static TaskRun row(ScheduleReport.Run run) {
        return new TaskRun(
                run.number(),
                TaskStatusCalculator.text(run.due()),
                run.began().map(TaskStatusCalculator::text).orElse(null),
                run.ended().map(TaskStatusCalculator::text).orElse(null),
                TaskStatusCalculator.state(run.state()),
                run.ended().map(_ -> reason(run).name()).orElse(null));
    }

    private static TaskReason reason(ScheduleReport.Run run) {
        if (run.state() == TreeState.State.FINISHED) {
            return run.endFailed() ? TaskReason.FinallyFailed : TaskReason.RootSucceeded;
        }
        return switch (run.reason()) {
            case TaskOutcome.CANCELLED -> TaskReason.Cancelled;
            case TaskOutcome.DEADLINE -> TaskReason.DeadlineExceeded;
            default -> TaskReason.NodeFailed;
        };
    }

    /** The end of a schedule that was cancelled: no run goes on any more. */
    static Optional<TaskOutcome> outcome(TaskView view) {
        return view.schedule()
                .filter(there -> view.spec().cancel()
                        && there.next().isEmpty()
                        && there.live().isEmpty())
                .map(_ -> new TaskOutcome(
                        false, TaskReason.Cancelled, "spec.cancel was set: the schedule and its runs have ended."));
    }
}
