package dev.quiver.controller.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TaskRun;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/** The status of a schedule. Pure. */
public final class ScheduleStatus {

    /** A run with its times, and the names of its fields. */
    private static final int RUN_BYTES = 210;

    private static final int BYTES = 200;

    private ScheduleStatus() {}

    /**
     * The status of a schedule in Redis.
     *
     * @param reason how a run of it ended by itself
     */
    public static TaskScheduleStatus of(
            TreeView view, ScheduleReport there, Function<ScheduleReport.Run, Reason> reason) {
        boolean resting = view.spec().suspend() || view.spec().schedule().suspend();
        return new TaskScheduleStatus(
                there.last().map(StatusTexts::time).orElse(null),
                there.next().filter(_ -> !resting).map(StatusTexts::time).orElse(null),
                there.succeeded().map(StatusTexts::time).orElse(null),
                there.missed(),
                runs(view.spec().schedule(), there, reason));
    }

    /**
     * The status of a run's schedule after a look at Redis: as it was if there is no schedule or no answer.
     *
     * @param reason how a run of it ended by itself
     */
    public static TaskScheduleStatus after(TreeView view, Function<ScheduleReport.Run, Reason> reason) {
        return view.schedule()
                .map(there -> of(view, there, reason))
                .orElseGet(() -> view.before().schedule());
    }

    /** How many bytes it takes at most. */
    public static int bytes(TaskScheduleStatus status) {
        return status == null ? 0 : BYTES + RUN_BYTES * status.runs().size();
    }

    /** Those beyond the limits are forgotten a moment later, and those that were replaced with the next fire. */
    private static List<TaskRun> runs(
            TaskSchedule limits, ScheduleReport there, Function<ScheduleReport.Run, Reason> reason) {
        List<TaskRun> runs = new ArrayList<>();
        int succeeded = limits.successfulRunsHistoryLimit();
        int failed = limits.failedRunsHistoryLimit();
        for (ScheduleReport.Run run : there.runs()) {
            boolean kept = run.ended().isEmpty() || run.isReplaced() || (run.succeeded() ? succeeded-- : failed--) > 0;
            if (kept && runs.size() < TaskScheduleStatus.MAX_RUNS) {
                runs.add(row(run, reason));
            }
        }
        return runs;
    }

    private static TaskRun row(ScheduleReport.Run run, Function<ScheduleReport.Run, Reason> reason) {
        return new TaskRun(
                run.number(),
                StatusTexts.time(run.due()),
                run.began().map(StatusTexts::time).orElse(null),
                run.ended().map(StatusTexts::time).orElse(null),
                StatusTexts.state(run.state()),
                run.ended().map(_ -> reason(run, reason).name()).orElse(null));
    }

    private static Reason reason(ScheduleReport.Run run, Function<ScheduleReport.Run, Reason> byItself) {
        return switch (run.reason()) {
            case TreeOutcome.CANCELLED -> TreeReason.Cancelled;
            case TreeOutcome.DEADLINE -> TreeReason.DeadlineExceeded;
            default -> byItself.apply(run);
        };
    }

    /** The end of a schedule that was cancelled: no run goes on any more. */
    public static Optional<TreeOutcome> outcome(TreeView view) {
        return view.schedule()
                .filter(there -> view.spec().cancel()
                        && there.next().isEmpty()
                        && there.live().isEmpty())
                .map(_ -> new TreeOutcome(
                        false, TreeReason.Cancelled, "spec.cancel was set: the schedule and its runs have ended."));
    }
}
