package dev.quiver.controller.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.Store;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.ScheduleReport;
import dev.quiver.lifecycle.task.ScheduleSpec;
import dev.quiver.lifecycle.task.TaskSchedules;
import dev.quiver.lifecycle.task.TaskTree;
import dev.quiver.lifecycle.task.Trees;

/** Carries out a Task's plan. Every act can be repeated. Thread-safe. */
record TaskActions(TaskContext context) {

    /**
     * The result.
     *
     * @param plan the plan, as changed by the act
     * @param changed whether Redis is to be asked again before the status is computed
     * @param resubmitted whether the Task began anew after a loss
     * @param synced whether Redis has the limits and the state of the spec now
     */
    record Applied(TaskPlan plan, boolean changed, boolean resubmitted, boolean synced) {
        static Applied asPlanned(TaskPlan plan) {
            return new Applied(plan, false, false, false);
        }
    }

    Applied apply(TaskView view, TaskPlan plan) {
        return switch (plan) {
            case TaskPlan.Create create -> create(view, create);
            case TaskPlan.Steer steer -> steer(view, steer);
            case TaskPlan.Recur recur -> recur(view, recur);
            case TaskPlan.Retire retire -> retire(view, retire);
            case TaskPlan.Conclude _, TaskPlan.Hold _ -> Applied.asPlanned(plan);
        };
    }

    private Applied create(TaskView view, TaskPlan.Create create) {
        Task task = view.task();
        int resubmissions = TreeId.resubmissions(view.before()) + (create.resubmitted() ? 1 : 0);
        boolean elsewhere = view.before().keyspace() == null
                        && Keyspaces.name(view.keyspace()).isPresent()
                || !Optional.ofNullable(view.before().grantedPrefix())
                        .equals(view.layout().granted());
        if (create.resubmitted() || elsewhere) {
            context.reporter().write(task, TaskStatusCalculator.intent(view, resubmissions), Change.AT_ONCE);
        }
        Duration delay = resubmissions == 0 || view.before().startTime() == null ? delay(view) : Duration.ZERO;
        Optional<TaskPlan> otherwise;
        try {
            TaskTree tree = SpecTree.of(TreeId.of(task, resubmissions), view.spec(), create.graph(), delay);
            otherwise = create(view, tree, resubmissions);
        } catch (IllegalArgumentException e) {
            // Each field is within its bounds, but not all of them together.
            return Applied.asPlanned(tooLarge(e));
        }
        return otherwise
                .map(plan -> new Applied(plan, true, false, false))
                .orElseGet(() -> new Applied(create, true, create.resubmitted(), true));
    }

    /** The plan after a creation that came to nothing. */
    private Optional<TaskPlan> create(TaskView view, TaskTree tree, int resubmissions) {
        Trees trees = trees(view);
        return store().ask(
                        () -> {
                            if (resubmissions > 0) {
                                drop(trees, TreeId.of(view.task(), resubmissions - 1));
                            }
                            return trees.create(tree) == Trees.Created.BURIED
                                    ? Optional.of(new TaskPlan.Conclude(
                                            TaskReason.StoreLost,
                                            "The state of the Task was removed from Redis while it went on."))
                                    : Optional.empty();
                        },
                        away -> Optional.of(refused(away)));
    }

    private static TaskPlan tooLarge(IllegalArgumentException e) {
        return new TaskPlan.Conclude(TaskReason.GraphInvalid, "spec: " + e.getMessage() + ".");
    }

    private Duration delay(TaskView view) {
        return view.spec()
                .startsNotBefore()
                .map(time -> Duration.between(view.now(), time))
                .filter(Duration::isPositive)
                .or(() -> view.spec().postponed())
                .orElse(Duration.ZERO);
    }

    private static TaskPlan.Hold refused(StoreState.Away away) {
        return new TaskPlan.Hold(
                TaskReason.Accepting,
                "Redis does not take the nodes (" + away.reason() + "), they are sent again until it does: "
                        + away.message());
    }

    private Applied steer(TaskView view, TaskPlan.Steer steer) {
        String tree = TreeId.of(view.task(), view.before());
        boolean synced = store().tryRun(() -> {
            Trees trees = trees(view);
            if (steer.limit()) {
                trees.limit(tree, view.spec().activeDeadline());
            }
            steer.changes().forEach(change -> trees.change(tree, change));
        });
        boolean changed = !synced || steer.limit() || !steer.changes().isEmpty();
        return new Applied(steer, changed, false, synced);
    }

    private Applied recur(TaskView view, TaskPlan.Recur planned) {
        String uid = view.task().getMetadata().getUid();
        Optional<TaskTree> fits;
        TaskPlan plan = planned;
        try {
            fits = planned.put().map(graph -> SpecTree.of(uid, view.spec(), graph, Duration.ZERO));
        } catch (IllegalArgumentException e) {
            fits = Optional.empty();
            plan = SchedulePlanner.kept(view, planned, tooLarge(e));
        }
        if (!(plan instanceof TaskPlan.Recur recur)) {
            return Applied.asPlanned(plan);
        }
        Optional<TaskTree> template = fits;
        if (template.isPresent()
                && view.before().keyspace() == null
                && Keyspaces.name(view.keyspace()).isPresent()) {
            context.reporter()
                    .write(
                            view.task(),
                            TaskStatusCalculator.intent(view, TreeId.resubmissions(view.before())),
                            Change.AT_ONCE);
        }
        Optional<TaskPlan> otherwise = store().ask(
                        () -> {
                            TaskSchedules schedules = schedules(view);
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
                        away -> Optional.of(view.accepted() ? recur : refused(away)));
        boolean changed =
                template.isPresent() || recur.stop() || !recur.changes().isEmpty();
        return otherwise
                .map(other -> new Applied(other, true, false, false))
                .orElseGet(() ->
                        new Applied(recur, changed, recur.resubmitted(), template.isPresent() || view.adjusted()));
    }

    /** The deadline is of each run, those that go on included. */
    private void put(TaskView view, TaskSchedules schedules, TaskTree template) {
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
                .forEach(run -> trees(view).limit(run.tree(), view.spec().activeDeadline()));
    }

    private static boolean resting(TaskView view) {
        return view.spec().suspend() || view.spec().schedule().suspend();
    }

    private void change(TaskView view, List<TaskPlan.RunChange> changes) {
        changes.forEach(change -> trees(view).change(change.tree(), change.change()));
    }

    private Applied retire(TaskView view, TaskPlan.Retire retire) {
        if (retire.stillGoing() && view.recurring()) {
            store().tryRun(() -> {
                schedules(view).stop(view.task().getMetadata().getUid());
                view.schedule().map(SchedulePlanner::cancelled).ifPresent(changes -> change(view, changes));
            });
        } else if (retire.stillGoing()) {
            store().tryRun(() -> trees(view).change(TreeId.of(view.task(), view.before()), Trees.Change.CANCEL));
        }
        return Applied.asPlanned(retire);
    }

    /**
     * Sets tombstones and deletes the keys, so that late calls of workers are refused. Keys under a prefix that the
     * namespace is not granted any more stay.
     *
     * @return false without Redis
     */
    boolean drop(Task task, TaskStatus status, Keyspace keyspace) {
        TaskLayout layout =
                TaskLayout.of(task.getSpec(), status, task.getMetadata().getNamespace(), context.prefixes());
        boolean nothing = !(layout instanceof TaskLayout.Own) && status.grantedPrefix() == null;
        if (nothing || layout instanceof TaskLayout.Withheld) {
            return true;
        }
        Trees trees = context.trees(keyspace, layout);
        return store().ask(
                        () -> {
                            boolean gone = task.getSpec().recurring().isEmpty()
                                    || TaskRuns.drop(
                                            context.schedules().apply(keyspace),
                                            task.getMetadata().getUid());
                            for (int i = 0; i <= TreeId.resubmissions(status); i++) {
                                gone &= drop(trees, TreeId.of(task, i));
                            }
                            return gone;
                        },
                        _ -> false);
    }

    private static boolean drop(Trees trees, String tree) {
        return TaskRuns.drop(trees, tree);
    }

    private Store store() {
        return context.shared().store();
    }

    private TaskSchedules schedules(TaskView view) {
        return context.schedules().apply(view.keyspace());
    }

    private Trees trees(TaskView view) {
        return context.trees(view.keyspace(), view.layout());
    }
}
