package dev.quiver.controller.tree;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.store.StoreCalls;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;
import dev.quiver.lifecycle.task.schedule.ScheduleSpec;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;

/**
 * The acts on a schedule, whose runs are trees. Every act can be repeated. Thread-safe.
 *
 * @param <V> the facts of a kind
 * @param calls to Redis
 * @param trees with their record
 * @param kind of the runs
 */
record ScheduleActions<V extends TreeView>(StoreCalls calls, RecordedTrees trees, TreeActions.Kind<V> kind) {

    /**
     * Puts the schedule into Redis and steers its runs, as planned.
     *
     * @return the plan, as changed where the work is too large or Redis is away
     */
    TreeActions.Applied recur(V view, TreePlan.Recur planned) {
        String uid = view.run().getMetadata().getUid();
        Optional<TaskTree> fits;
        TreePlan plan = planned;
        try {
            fits = planned.put().map(tree -> trees.recorded(view, tree.of(uid, Duration.ZERO)));
        } catch (IllegalArgumentException e) {
            fits = Optional.empty();
            plan = SchedulePlanner.kept(view, planned, kind.tooLarge(e));
        }
        if (!(plan instanceof TreePlan.Recur recur)) {
            return TreeActions.Applied.asPlanned(plan);
        }
        Optional<TaskTree> template = fits;
        if (template.isPresent() && view.placeIsNew()) {
            kind.intend().accept(view, TreeId.resubmissions(view.before()));
        }
        Optional<TreePlan> otherwise = calls.ask(
                () -> {
                    TaskSchedules schedules = kind.schedules().apply(view.keyspace());
                    template.ifPresent(tree -> put(view, schedules, tree));
                    recur.withheld().ifPresent(_ -> schedules.suspend(uid, resting(view)));
                    if (recur.stop()) {
                        schedules.stop(uid);
                    }
                    change(view, recur.changes());
                    if (recur.tidy()) {
                        schedules.tidy(uid);
                    }
                    return Optional.empty();
                },
                away -> Optional.of(view.accepted() ? recur : TreeActions.refused(away)));
        boolean changed =
                template.isPresent() || recur.stop() || !recur.changes().isEmpty();
        return otherwise
                .map(other -> new TreeActions.Applied(other, true, false, false))
                .orElseGet(() -> new TreeActions.Applied(
                        recur, changed, recur.resubmitted(), template.isPresent() || view.adjusted()));
    }

    /** The deadline is of each run, those that go on included. */
    private void put(V view, TaskSchedules schedules, TaskTree template) {
        TaskSchedule spec = view.spec().schedule();
        TaskScheduleStatus before = view.before().schedule();
        schedules.put(
                new ScheduleSpec(
                        spec.cron(),
                        spec.timeZone(),
                        spec.startingDeadline(),
                        switch (spec.concurrencyPolicy()) {
                            case Allow -> ScheduleSpec.Policy.ALLOW;
                            case Forbid -> ScheduleSpec.Policy.FORBID;
                            case Replace -> ScheduleSpec.Policy.REPLACE;
                        },
                        resting(view),
                        spec.successfulRunsHistoryLimit(),
                        spec.failedRunsHistoryLimit()),
                template,
                before == null
                        ? TaskSchedules.Before.NONE
                        : new TaskSchedules.Before(
                                before.runs().isEmpty()
                                        ? 0
                                        : before.runs().getFirst().run(),
                                before.missed() == null ? 0 : before.missed()));
        view.schedule().map(ScheduleReport::live).orElse(List.of()).stream()
                .filter(run -> !run.rootOver())
                .forEach(run -> kind.trees(view).limit(run.tree(), view.spec().activeDeadline()));
    }

    private static boolean resting(TreeView view) {
        return view.spec().suspend() || view.spec().schedule().suspend();
    }

    private void change(V view, List<TreePlan.RunChange> changes) {
        changes.forEach(change -> kind.trees(view).change(change.tree(), change.change()));
    }

    /** Lets no run begin any more, and cancels those that go on. Without Redis nothing happens. */
    void end(V view) {
        calls.tryRun(() -> {
            kind.schedules()
                    .apply(view.keyspace())
                    .stop(view.run().getMetadata().getUid());
            view.schedule().map(SchedulePlanner::cancelled).ifPresent(changes -> change(view, changes));
        });
    }
}
