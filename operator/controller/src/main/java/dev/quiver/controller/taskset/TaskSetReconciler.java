package dev.quiver.controller.taskset;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.run.PoolWatch;
import dev.quiver.controller.run.Retirement;
import dev.quiver.controller.run.RunMemory;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.taskset.schedule.TaskSetSchedules;
import dev.quiver.controller.taskset.source.SourceReader;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;

/** Drives TaskSets: observe, plan, apply, status. */
public final class TaskSetReconciler implements Reconciler<TaskSet>, Cleaner<TaskSet> {

    private final TaskSetContext context;
    private final ControllerContext shared;
    private final TaskSetActions actions;
    private final PoolWatch<TaskSet> pools = new PoolWatch<>(TaskSet.class, set -> Set.of(set.poolName()));
    private final RunMemory<TaskSetStatus, TaskSet> memory;
    private final TaskSetObserver observer;
    private final Retirement<TaskSet> retirement;
    private final TaskSetSchedules schedules;

    /** Uses the parts of the context. */
    public TaskSetReconciler(TaskSetContext context) {
        this.context = context;
        this.shared = context.shared();
        this.memory = RunMemory.of(shared.watch(), context.runs(), context.reporter());
        this.observer = new TaskSetObserver(context, pools, memory);
        this.actions = new TaskSetActions(
                context,
                new SourceReader(shared.kubernetes()),
                new ChildPool(shared.kubernetes()),
                new EarlierRuns(shared.kubernetes(), context.control(), observer::keyspace, context.record()),
                new SetOrders(context.record(), context.pools(), shared.calls()));
        this.retirement = Retirement.of("the TaskSet", shared, memory, pools);
        this.schedules = new TaskSetSchedules(shared, context.reporter());
    }

    @Override
    public List<EventSource<?, TaskSet>> prepareEventSources(EventSourceContext<TaskSet> events) {
        return Stream.concat(
                        pools.sources(events, shared.watch(), context.runs()).stream(),
                        Stream.of(schedules.source(events)))
                .toList();
    }

    @Override
    public UpdateControl<TaskSet> reconcile(TaskSet set, Context<TaskSet> cache) {
        Optional<Duration> elsewhere = retirement.elsewhere(set);
        if (elsewhere.isPresent()) {
            return UpdateControl.<TaskSet>noUpdate().rescheduleAfter(elsewhere.get());
        }
        if (set.getSpec().recurrence().isPresent()) {
            return recur(set);
        }
        try {
            return run(set);
        } finally {
            schedules.changed(set);
        }
    }

    /** A set that is run again and again is no run itself: nothing of it is in Redis. */
    private UpdateControl<TaskSet> recur(TaskSet set) {
        Optional<TaskSetStatus> end = schedules.end(set);
        return end.map(status -> retirement.over(
                        set,
                        () -> schedules.reportEnd(set, status),
                        set.getSpec().ttlAfterFinished(),
                        status.completionTime(),
                        shared.clock().instant()))
                .orElseGet(() -> UpdateControl.<TaskSet>noUpdate().rescheduleAfter(schedules.reconcile(set)));
    }

    private UpdateControl<TaskSet> run(TaskSet set) {
        RunMemory.Spec present = memory.spec(set);
        TaskSetView view = observer.observe(set, present);
        TaskSetPlan plan = TaskSetPlanner.plan(view);
        TaskSetActions.Applied applied = actions.apply(view, plan);
        if (plan instanceof TaskSetPlan.Retire) {
            return retire(view);
        }
        if (applied.synced()) {
            memory.written(set, present);
        }
        TaskSetView after = applied.changed() ? observer.observe(set, present) : view;
        TaskSetStatus fresh = TaskSetStatusCalculator.of(after, applied.plan(), applied.sourceHash());
        if (applied.resubmitted()) {
            context.reporter().publish(set, TaskSetEvents.resubmitted(view.before(), fresh));
        }
        Optional<Duration> turn = report(after, fresh);
        boolean storeUp = shared.watch().state().up();
        return UpdateControl.<TaskSet>noUpdate()
                .rescheduleAfter(memory.until(TaskSetPace.next(after, applied, turn, storeUp)));
    }

    @Override
    public DeleteControl cleanup(TaskSet set, Context<TaskSet> cache) {
        if (set.getSpec().recurrence().isPresent()) {
            return retirement.deleted(set, () -> true);
        }
        schedules.changed(set);
        return retirement.deleted(set, () -> actions.drop(set, observer.keyspace(set), observer.workers(set)));
    }

    private Optional<Duration> report(TaskSetView view, TaskSetStatus fresh) {
        return context.reporter().report(view.set(), view.before(), fresh, RunState.counted(fresh.conditions()));
    }

    /** The status still shows the end; the workers of the run were released. */
    private UpdateControl<TaskSet> retire(TaskSetView view) {
        return retirement.over(
                view.set(),
                () -> report(view, TaskSetStatusCalculator.over(view)),
                view.spec().ttlAfterFinished(),
                view.before().completionTime(),
                view.now());
    }
}
