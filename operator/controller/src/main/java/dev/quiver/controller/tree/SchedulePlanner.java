package dev.quiver.controller.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.cron.CronTimes;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/**
 * Decides the next act of a schedule that is not finished. Redis fires it; here it is put and steered. Pure.
 *
 * @param trees decides about trees of the kind
 */
record SchedulePlanner<V extends TreeView>(TreePlanner<V> trees) {

    private static final String KEPT = " The schedule and its work go on as they were before this change.";

    TreePlan plan(V view) {
        if (view.store() instanceof ObservedStore.Away<?>(var reason, var message)) {
            return view.accepted()
                    ? TreePlanner.away(TreeReason.Scheduled, reason, message)
                    : switch (valid(view)) {
                        case TreePlanner.Work.Refused(TreePlan.Conclude never) -> never;
                        default -> TreePlanner.away(TreeReason.Accepting, reason, message);
                    };
        }
        return view.schedule().map(there -> steer(view, there)).orElseGet(() -> absent(view));
    }

    /** The work of a spec whose times can be computed. */
    private TreePlanner.Work valid(V view) {
        TaskSchedule schedule = view.spec().schedule();
        try {
            CronTimes.of(schedule.cron(), schedule.timeZone());
        } catch (IllegalArgumentException e) {
            return new TreePlanner.Work.Refused(
                    new TreePlan.Conclude(TreeReason.ScheduleInvalid, "spec.schedule: " + e.getMessage() + "."));
        }
        return trees.kind().work(view);
    }

    private TreePlan absent(V view) {
        if (view.accepted() && view.spec().storeLossPolicy() == StoreLossPolicy.Fail) {
            return TreePlanner.LOST;
        }
        if (view.spec().cancel()) {
            return TreePlanner.CANCELLED_BEFORE;
        }
        return put(view, List.of(), view.accepted());
    }

    private TreePlan put(V view, List<TreePlan.RunChange> changes, boolean resubmitted) {
        return switch (valid(view)) {
            case TreePlanner.Work.Refused(TreePlan refused) ->
                kept(view, recur(view, Optional.empty(), resubmitted, changes), refused);
            case TreePlanner.Work.Fits(TreePlan.Maker tree) -> {
                TreePlan.Recur recur = recur(view, Optional.of(tree), resubmitted, changes);
                Optional<TreePlan> unplaced = newWork(view) ? trees.unplaced(view) : Optional.empty();
                yield unplaced.map(refused -> kept(view, recur, refused)).orElse(recur);
            }
        };
    }

    private static TreePlan.Recur recur(
            TreeView view, Optional<TreePlan.Maker> put, boolean resubmitted, List<TreePlan.RunChange> changes) {
        return new TreePlan.Recur(put, resubmitted, false, untidy(view), changes, Optional.empty());
    }

    /** A schedule that Redis has outlives a spec that cannot be put: a slip in an edit is no order to end it. */
    static TreePlan kept(TreeView view, TreePlan.Recur recur, TreePlan refused) {
        return view.schedule().isEmpty()
                ? refused
                : switch (refused) {
                    case TreePlan.Conclude(Reason reason, String message) ->
                        recur.without(new TreePlan.Hold(reason, message + KEPT));
                    case TreePlan.Hold hold -> recur.without(hold);
                    default -> refused;
                };
    }

    private static boolean untidy(TreeView view) {
        TaskSchedule limits = view.spec().schedule();
        return view.schedule()
                .filter(there -> there.exceeds(limits.successfulRunsHistoryLimit(), limits.failedRunsHistoryLimit()))
                .isPresent();
    }

    /** Whether Redis does not have the work of the spec; work that it has goes on without a pool, too. */
    private static boolean newWork(TreeView view) {
        return view.schedule().isEmpty()
                || !view.workHash().equals(view.before().workHash());
    }

    private TreePlan steer(V view, ScheduleReport there) {
        List<TreePlan.RunChange> changes = changes(view, there);
        if (view.spec().cancel()) {
            return new TreePlan.Recur(
                    Optional.empty(), false, there.next().isPresent(), false, changes, Optional.empty());
        }
        if (!view.adjusted()) {
            return put(view, changes, false);
        }
        boolean tidy = changes.isEmpty() && untidy(view);
        return new TreePlan.Recur(Optional.empty(), false, false, tidy, changes, Optional.empty());
    }

    private static List<TreePlan.RunChange> changes(TreeView view, ScheduleReport there) {
        List<TreePlan.RunChange> changes = new ArrayList<>();
        boolean suspend = view.suspends();
        for (ScheduleReport.Run run : there.live()) {
            if (view.spec().cancel() && !run.rootOver()) {
                changes.add(new TreePlan.RunChange(run.tree(), Change.CANCEL));
            }
            if (suspend != run.suspended()) {
                changes.add(new TreePlan.RunChange(run.tree(), suspend ? Change.SUSPEND : Change.RESUME));
            }
        }
        return changes;
    }

    /** The changes that end all runs. */
    static List<TreePlan.RunChange> cancelled(ScheduleReport there) {
        return there.live().stream()
                .filter(run -> !run.rootOver())
                .map(run -> new TreePlan.RunChange(run.tree(), Change.CANCEL))
                .toList();
    }

    /** Whether Redis has it, still begins runs of it, or still runs one. */
    static boolean goesOn(TreeView view) {
        return view.schedule()
                .filter(there -> there.next().isPresent() || !cancelled(there).isEmpty())
                .isPresent();
    }
}
