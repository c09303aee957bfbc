package dev.quiver.controller.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.run.PoolChange;
import dev.quiver.controller.run.RunCleanup;
import dev.quiver.controller.run.RunKeyspace;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.taskset.source.SourceReader;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/** Drives runs: observe, plan, apply, status. Its memory between two reconciles may be lost. */
public final class TaskSetReconciler implements Reconciler<TaskSet>, Cleaner<TaskSet> {

    private static final String BY_POOL = "by-pool";

    private final TaskSetContext context;
    private final ControllerContext shared;
    private final TaskSetActions actions;
    private final RunCleanup cleanup;
    private final WakeupEventSource<TaskSet> wakeups = new WakeupEventSource<>("redis-changes");
    /** The limits of each run in Redis, by uid. */
    private final Map<String, Synced> synced = new ConcurrentHashMap<>();
    /** The recent pace of each run, by uid; an operator that starts measures for some seconds first. */
    private final Map<String, Pace> paces = new ConcurrentHashMap<>();
    /** How often Redis came back, perhaps without earlier writes. */
    private final AtomicLong reconnects = new AtomicLong();

    /** The limits of that generation, since that return of Redis. */
    private record Synced(Long generation, long reconnects) {}

    /** Uses the parts of the context. */
    public TaskSetReconciler(TaskSetContext context) {
        this.context = context;
        this.shared = context.shared();
        this.actions =
                new TaskSetActions(context, new SourceReader(shared.kubernetes()), new ChildPool(shared.kubernetes()));
        this.cleanup = new RunCleanup(shared.kubernetes());
    }

    @Override
    public List<EventSource<?, TaskSet>> prepareEventSources(EventSourceContext<TaskSet> events) {
        var sets = events.getPrimaryCache();
        sets.addIndexer(BY_POOL, set -> List.of(poolKey(set, set.poolName())));
        var configuration = InformerEventSourceConfiguration.from(WorkerPool.class, TaskSet.class)
                .withPrimaryToSecondaryMapper((TaskSet set) ->
                        Set.of(new ResourceID(set.poolName(), set.getMetadata().getNamespace())))
                .withSecondaryToPrimaryMapper(pool ->
                        sets.byIndex(BY_POOL, poolKey(pool, pool.getMetadata().getName())).stream()
                                .map(ResourceID::fromResource)
                                .collect(Collectors.toSet()))
                .withOnUpdateFilter(PoolChange::matters)
                .build();
        wakeups.setCache(sets);
        context.runs().onChange(wakeups::wake);
        shared.store().onUp(reconnects::incrementAndGet);
        shared.store().onUp(wakeups::wakeAll);
        shared.store().onAway(wakeups::wakeAll);
        return List.of(new InformerEventSource<>(configuration, events), wakeups);
    }

    @Override
    public UpdateControl<TaskSet> reconcile(TaskSet set, Context<TaskSet> cache) {
        Optional<Duration> left = shared.owners().left(set);
        if (left.isPresent()) {
            forget(set);
            return UpdateControl.<TaskSet>noUpdate().rescheduleAfter(left.get());
        }
        Synced present = new Synced(set.getMetadata().getGeneration(), reconnects.get());
        TaskSetView view = observe(set, cache, present);
        TaskSetPlan plan = TaskSetPlanner.plan(view);
        TaskSetActions.Applied applied = actions.apply(view, plan);
        if (plan instanceof TaskSetPlan.Retire) {
            return retire(view);
        }
        if (applied.synced()) {
            synced.put(uid(set), present);
        }
        TaskSetView after = applied.changed() ? observe(set, cache, present) : view;
        TaskSetStatus fresh = TaskSetStatusCalculator.of(after, applied.plan(), applied.sourceHash());
        if (applied.resubmitted()) {
            context.reporter().publish(set, TaskSetEvents.resubmitted(view.before(), fresh));
        }
        Optional<Duration> turn = report(after, fresh);
        boolean storeUp = shared.store().state().up();
        return UpdateControl.<TaskSet>noUpdate().rescheduleAfter(TaskSetPace.next(after, applied, turn, storeUp));
    }

    @Override
    public DeleteControl cleanup(TaskSet set, Context<TaskSet> cache) {
        Optional<Duration> left = shared.owners().left(set);
        if (left.isPresent()) {
            forget(set);
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(left.get());
        }
        boolean dropped = actions.drop(set, keyspace(set, cache), TaskSetView.workers(set, pool(cache)));
        DeleteControl control = shared.gate().pass(set, dropped, "the TaskSet", () -> {});
        if (control.isRemoveFinalizer()) {
            forget(set);
            wakeups.wakeSuccessor(set);
        }
        return control;
    }

    private TaskSetView observe(TaskSet set, Context<TaskSet> cache, Synced present) {
        Instant now = shared.clock().instant();
        Keyspace keyspace = keyspace(set, cache);
        TaskSetStatus before = context.reporter()
                .current(set)
                .orElseGet(() -> TaskSetStatusBuilder.builder().build());
        boolean finished = Conditions.isTrue(before.conditions(), ConditionType.Finished);
        if (!finished) {
            context.runs().follow(set, keyspace);
            context.reporter().setActive(set, true);
        }
        ObservedStore<TaskSetSnapshot> store = shared.records()
                .problem(keyspace)
                .<ObservedStore<TaskSetSnapshot>>map(
                        message -> new ObservedStore.Away<>(StoreReason.Unsupported, message))
                .orElseGet(() -> ask(set, keyspace));
        boolean adjusted = present.equals(synced.get(uid(set)));
        return new TaskSetView(
                set,
                before,
                keyspace,
                store,
                TaskSetView.workers(set, pool(cache)),
                adjusted,
                pace(set, store),
                now,
                shared.store().backlogs().of(keyspace));
    }

    private ObservedStore<TaskSetSnapshot> ask(TaskSet set, Keyspace keyspace) {
        String uid = uid(set);
        return shared.store()
                .ask(
                        () -> new ObservedStore.Answered<>(Optional.ofNullable(context.control()
                                .apply(keyspace)
                                .snapshot(List.of(uid))
                                .get(uid))),
                        TaskSetReconciler::away);
    }

    private Pace pace(TaskSet set, ObservedStore<TaskSetSnapshot> store) {
        Optional<TaskSetSnapshot> going =
                store.snapshot().filter(run -> !run.status().isFinal());
        if (going.isEmpty()) {
            return paces.getOrDefault(uid(set), Pace.UNSEEN);
        }
        return paces.compute(
                uid(set),
                (_, pace) -> Optional.ofNullable(pace).orElse(Pace.UNSEEN).seen(TaskSetView.progress(going.get())));
    }

    private Optional<Duration> report(TaskSetView view, TaskSetStatus fresh) {
        return context.reporter().report(view.set(), view.before(), fresh, RunState.counted(fresh.conditions()));
    }

    /** Keeps the status, which shows the end, and releases the workers of the run. */
    private UpdateControl<TaskSet> retire(TaskSetView view) {
        TaskSet set = view.set();
        context.runs().unfollow(uid(set));
        context.reporter().setActive(set, false);
        paces.remove(uid(set));
        Optional<Duration> turn = report(view, TaskSetStatusCalculator.over(view));
        Optional<Instant> end =
                Optional.ofNullable(view.before().completionTime()).map(Instant::parse);
        return Stream.of(turn, cleanup.afterTtl(set, view.spec().ttlAfterFinished(), end, view.now()))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(wait -> UpdateControl.<TaskSet>noUpdate().rescheduleAfter(wait))
                .orElseGet(UpdateControl::noUpdate);
    }

    private void forget(TaskSet set) {
        context.runs().unfollow(uid(set));
        context.reporter().forget(set);
        synced.remove(uid(set));
        paces.remove(uid(set));
    }

    private Keyspace keyspace(TaskSet set, Context<TaskSet> cache) {
        Optional<TaskSetStatus> status = context.reporter().current(set);
        return RunKeyspace.of(
                set.getMetadata().getNamespace(),
                status.map(TaskSetStatus::keyspace),
                status.map(TaskSetStatus::total).isPresent(),
                pool(cache),
                context.runs().keyspace(uid(set)));
    }

    private static Optional<WorkerPool> pool(Context<TaskSet> cache) {
        return cache.getSecondaryResource(WorkerPool.class);
    }

    private static ObservedStore<TaskSetSnapshot> away(StoreState.Away away) {
        return new ObservedStore.Away<>(away.reason(), away.message());
    }

    private static String poolKey(HasMetadata inNamespace, String name) {
        return inNamespace.getMetadata().getNamespace() + "/" + name;
    }

    private static String uid(TaskSet set) {
        return set.getMetadata().getUid();
    }
}
