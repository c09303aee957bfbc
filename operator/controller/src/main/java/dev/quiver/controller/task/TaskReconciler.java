package dev.quiver.controller.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.controller.tree.TreeEvents;
import dev.quiver.controller.tree.TreeHome;
import dev.quiver.controller.tree.TreePace;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;

/** Drives Tasks: observe, plan, apply, status. */
public final class TaskReconciler implements Reconciler<Task>, Cleaner<Task> {

    private final TaskContext context;
    private final ControllerContext shared;
    private final TreeActions<TaskView> actions;
    private final PoolWatch<Task> pools = new PoolWatch<>(Task.class, task -> TaskView.poolNames(task.getSpec()));
    private final RunMemory<TaskStatus, Task> memory;
    private final TreeHome<TaskStatus, Task> home;
    private final TaskObserver observer;
    private final UndoTaking undo;
    private final Retirement<Task> retirement;

    /** Uses the parts of the context. */
    public TaskReconciler(TaskContext context) {
        this.context = context;
        this.shared = context.shared();
        this.actions = new TreeActions<>(shared.calls(), shared.recording(), context.acts());
        this.memory = RunMemory.of(shared.watch(), context.runs(), context.reporter());
        this.home = new TreeHome<>(
                context.reporter(),
                pools,
                memory,
                () -> TaskStatusBuilder.builder().build());
        this.observer = new TaskObserver(context, home);
        this.undo = new UndoTaking(context, home);
        this.retirement = Retirement.of("the Task", shared, memory, pools);
    }

    @Override
    public List<EventSource<?, Task>> prepareEventSources(EventSourceContext<Task> events) {
        return pools.sources(events, shared.watch(), context.runs());
    }

    @Override
    public UpdateControl<Task> reconcile(Task task, Context<Task> cache) {
        Optional<Duration> elsewhere = retirement.elsewhere(task);
        if (elsewhere.isPresent()) {
            return UpdateControl.<Task>noUpdate().rescheduleAfter(elsewhere.get());
        }
        RunMemory.Spec present = memory.spec(task);
        TaskView view = observer.observe(task, present);
        TreePlan plan = undo.resolved(view, TaskPlanner.plan(view));
        TreeActions.Applied applied = actions.apply(view, plan);
        if (plan instanceof TreePlan.Retire) {
            return retire(view);
        }
        if (applied.synced()) {
            memory.written(task, present);
        }
        TaskView after = applied.changed() ? observer.observe(task, present) : view;
        TaskStatus fresh = TaskStatusCalculator.of(after, applied.plan());
        if (applied.resubmitted()) {
            context.reporter().publish(task, TreeEvents.resubmitted("the Task"));
        }
        Optional<Duration> turn = report(after, fresh);
        boolean storeUp = shared.watch().state().up();
        return UpdateControl.<Task>noUpdate()
                .rescheduleAfter(memory.until(TreePace.next(after, applied, turn, storeUp, TaskPace.of(after))));
    }

    @Override
    public DeleteControl cleanup(Task task, Context<Task> cache) {
        return retirement.deleted(task, () -> {
            TaskStatus status = home.current(task);
            return actions.drop(
                    task, task.getSpec(), status, home.keyspace(task, status), observer.layout(task, status));
        });
    }

    private Optional<Duration> report(TaskView view, TaskStatus fresh) {
        return context.reporter().report(view.task(), view.before(), fresh, RunState.counted(fresh.conditions()));
    }

    private UpdateControl<Task> retire(TaskView view) {
        return retirement.over(
                view.task(),
                () -> report(view, TaskStatusCalculator.over(view)),
                view.spec().ttlAfterFinished(),
                view.before().completionTime(),
                view.now());
    }
}
