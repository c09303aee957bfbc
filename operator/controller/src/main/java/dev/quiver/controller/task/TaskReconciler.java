package dev.quiver.controller.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.reconcile.WakeupEventSource;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.PoolChange;
import dev.quiver.controller.run.RunCleanup;
import dev.quiver.controller.run.RunKeyspace;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreePace;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.ScheduleReport;
import dev.quiver.lifecycle.task.TreeReport;
import dev.quiver.lifecycle.task.TreeState;
import dev.quiver.lifecycle.task.Trees;

/** Drives Tasks: observe, plan, apply, status. Its memory between two reconciles may be lost. */
public final class TaskReconciler implements Reconciler<Task>, Cleaner<Task> {

    private static final String BY_POOL = "tasks-by-pool";

    private final TaskContext context;
    private final ControllerContext shared;
    private final TreeActions<TaskView> actions;
    private final RunCleanup cleanup;
    private final WakeupEventSource<Task> wakeups = new WakeupEventSource<>("redis-changes");
    /** All pools, those that no spec names too; set before the first reconcile. */
    private InformerEventSource<WorkerPool, Task> pools;
    /** The limits of each Task in Redis, by uid. */
    private final Map<String, Synced> synced = new ConcurrentHashMap<>();
    /** How often Redis came back, perhaps without earlier writes. */
    private final AtomicLong reconnects = new AtomicLong();

    /** The limits of that generation, since that return of Redis. */
    private record Synced(Long generation, long reconnects) {}

    /** Uses the parts of the context. */
    public TaskReconciler(TaskContext context) {
        this.context = context;
        this.shared = context.shared();
        this.actions = new TreeActions<>(shared.store(), new TaskActs(context));
        this.cleanup = new RunCleanup(shared.kubernetes());
    }

    @Override
    public List<EventSource<?, Task>> prepareEventSources(EventSourceContext<Task> events) {
        var tasks = events.getPrimaryCache();
        tasks.addIndexer(
                BY_POOL,
                task -> TaskView.poolNames(task.getSpec()).stream()
                        .map(name -> poolKey(task, name))
                        .toList());
        var configuration = InformerEventSourceConfiguration.from(WorkerPool.class, Task.class)
                .withPrimaryToSecondaryMapper((Task task) -> TaskView.poolNames(task.getSpec()).stream()
                        .map(name -> new ResourceID(name, task.getMetadata().getNamespace()))
                        .collect(Collectors.toSet()))
                .withSecondaryToPrimaryMapper(pool ->
                        tasks.byIndex(BY_POOL, poolKey(pool, pool.getMetadata().getName())).stream()
                                .map(ResourceID::fromResource)
                                .collect(Collectors.toSet()))
                .withOnUpdateFilter(PoolChange::matters)
                .build();
        wakeups.setCache(tasks);
        context.runs().onChange(wakeups::wake);
        shared.store().onUp(reconnects::incrementAndGet);
        shared.store().onUp(wakeups::wakeAll);
        shared.store().onAway(wakeups::wakeAll);
        pools = new InformerEventSource<>(configuration, events);
        return List.of(pools, wakeups);
    }

    @Override
    public UpdateControl<Task> reconcile(Task task, Context<Task> cache) {
        Optional<Duration> left = shared.owners().left(task);
        if (left.isPresent()) {
            forget(task);
            return UpdateControl.<Task>noUpdate().rescheduleAfter(left.get());
        }
        Synced present = new Synced(task.getMetadata().getGeneration(), reconnects.get());
        TaskView view = observe(task, cache, present);
        TreePlan plan = TaskPlanner.plan(view);
        TreeActions.Applied applied = actions.apply(view, plan);
        if (plan instanceof TreePlan.Retire) {
            return retire(view);
        }
        if (applied.synced()) {
            synced.put(uid(task), present);
        }
        TaskView after = applied.changed() ? observe(task, cache, present) : view;
        TaskStatus fresh = TaskStatusCalculator.of(after, applied.plan());
        if (applied.resubmitted()) {
            context.reporter().publish(task, TaskEvents.RESUBMITTED);
        }
        Optional<Duration> turn = report(after, fresh);
        boolean storeUp = shared.store().state().up();
        return UpdateControl.<Task>noUpdate()
                .rescheduleAfter(TreePace.next(after, applied, turn, storeUp, TaskPace.of(after)));
    }

    @Override
    public DeleteControl cleanup(Task task, Context<Task> cache) {
        Optional<Duration> left = shared.owners().left(task);
        if (left.isPresent()) {
            forget(task);
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(left.get());
        }
        boolean dropped = drop(task, current(task), keyspace(task, cache));
        DeleteControl control = shared.gate().pass(task, dropped, "the Task", () -> {});
        if (control.isRemoveFinalizer()) {
            forget(task);
            wakeups.wakeSuccessor(task);
        }
        return control;
    }

    /** Keys under a prefix that the namespace is not granted any more stay; false without Redis. */
    private boolean drop(Task task, TaskStatus status, Keyspace keyspace) {
        TaskLayout layout =
                TaskLayout.of(task.getSpec(), status, task.getMetadata().getNamespace(), context.prefixes());
        boolean nothing = !(layout instanceof TaskLayout.Own) && status.grantedPrefix() == null;
        return nothing
                || layout instanceof TaskLayout.Withheld
                || actions.drop(
                        task,
                        task.getSpec().historyOrDefault(),
                        status,
                        keyspace,
                        task.getSpec().recurring().map(_ -> context.schedules().apply(keyspace)),
                        context.trees(keyspace, layout));
    }

    private TaskStatus current(Task task) {
        return context.reporter()
                .current(task)
                .orElseGet(() -> TaskStatusBuilder.builder().build());
    }

    private TaskView observe(Task task, Context<Task> cache, Synced present) {
        Instant now = shared.clock().instant();
        Keyspace keyspace = keyspace(task, cache);
        TaskStatus before = current(task);
        boolean finished = Conditions.isTrue(before.conditions(), ConditionType.Finished);
        TaskLayout layout =
                TaskLayout.of(task.getSpec(), before, task.getMetadata().getNamespace(), context.prefixes());
        if (!finished) {
            context.runs().follow(task, keyspace);
            context.reporter().setActive(task, true);
        }
        Look look = shared.records()
                .problem(keyspace)
                .map(message -> new Look(new ObservedStore.Away<>(StoreReason.Unsupported, message), Optional.empty()))
                .orElseGet(() -> look(task, before, keyspace, layout, finished));
        return new TaskView(
                task,
                before,
                keyspace,
                look.tree(),
                look.schedule(),
                TaskView.pools(
                        task.getSpec(),
                        look.tree().snapshot(),
                        name -> pools.get(
                                new ResourceID(name, task.getMetadata().getNamespace()))),
                layout,
                context.prefixes(),
                present.equals(synced.get(uid(task))),
                now,
                layout instanceof TaskLayout.Own ? shared.store().backlogs().of(keyspace) : Optional.empty());
    }

    /** What Redis has: the tree, of a schedule that of its latest run, and the schedule. */
    private record Look(ObservedStore<ObservedTree> tree, Optional<ScheduleReport> schedule) {}

    private Look look(Task task, TaskStatus before, Keyspace keyspace, TaskLayout layout, boolean finished) {
        if (layout instanceof TaskLayout.Withheld) {
            return shared.store()
                    .ask(
                            () -> new Look(new ObservedStore.Answered<>(Optional.empty()), Optional.empty()),
                            away -> new Look(
                                    new ObservedStore.Away<>(away.reason(), away.message()), Optional.empty()));
        }
        return shared.store()
                .ask(
                        () -> {
                            if (task.getSpec().recurring().isEmpty()) {
                                return new Look(
                                        new ObservedStore.Answered<>(tree(
                                                context.trees(keyspace, layout), TreeId.of(task, before), finished)),
                                        Optional.empty());
                            }
                            Optional<ScheduleReport> schedule =
                                    context.schedules().apply(keyspace).report(uid(task));
                            return new Look(
                                    new ObservedStore.Answered<>(schedule.flatMap(there ->
                                                    there.runs().stream().findFirst())
                                            .flatMap(run ->
                                                    tree(context.trees().apply(keyspace), run.tree(), finished))),
                                    schedule);
                        },
                        away -> new Look(new ObservedStore.Away<>(away.reason(), away.message()), Optional.empty()));
    }

    private static Optional<ObservedTree> tree(Trees trees, String tree, boolean finished) {
        return trees.report(tree, finished ? 0 : TaskStatus.MAX_TREE)
                .map(report -> new ObservedTree(report, finished ? Optional.empty() : result(trees, tree, report)));
    }

    private static Optional<Trees.Measured> result(Trees trees, String tree, TreeReport report) {
        return report.state().over() && report.state().state() == TreeState.State.FINISHED
                ? Optional.of(trees.measure(tree, TaskStatus.MAX_RESULT_BYTES))
                : Optional.empty();
    }

    private Optional<Duration> report(TaskView view, TaskStatus fresh) {
        return context.reporter().report(view.task(), view.before(), fresh, RunState.counted(fresh.conditions()));
    }

    /** Keeps the status, which shows the end. */
    private UpdateControl<Task> retire(TaskView view) {
        Task task = view.task();
        context.runs().unfollow(uid(task));
        context.reporter().setActive(task, false);
        Optional<Duration> turn = report(view, TaskStatusCalculator.over(view));
        Optional<Instant> end =
                Optional.ofNullable(view.before().completionTime()).map(Instant::parse);
        return Stream.of(turn, cleanup.afterTtl(task, view.spec().ttlAfterFinished(), end, view.now()))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(wait -> UpdateControl.<Task>noUpdate().rescheduleAfter(wait))
                .orElseGet(UpdateControl::noUpdate);
    }

    private void forget(Task task) {
        context.runs().unfollow(uid(task));
        context.reporter().forget(task);
        synced.remove(uid(task));
    }

    private Keyspace keyspace(Task task, Context<Task> cache) {
        TaskStatus status = current(task);
        String pool = task.getSpec().workerPoolRef().name();
        return RunKeyspace.of(
                task.getMetadata().getNamespace(),
                Optional.ofNullable(status.keyspace()),
                status.workHash() != null,
                cache.getSecondaryResources(WorkerPool.class).stream()
                        .filter(it -> it.getMetadata().getName().equals(pool))
                        .findFirst(),
                context.runs().keyspace(uid(task)));
    }

    private static String poolKey(HasMetadata inNamespace, String name) {
        return inNamespace.getMetadata().getNamespace() + "/" + name;
    }

    private static String uid(Task task) {
        return task.getMetadata().getUid();
    }
}
