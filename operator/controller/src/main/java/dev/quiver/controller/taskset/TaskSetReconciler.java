package dev.quiver.controller.taskset;

import java.time.Clock;
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

import dev.quiver.controller.Doors;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.Wakeups;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/** Drives runs: observe, plan, apply, status. What it remembers between two looks may be lost. */
public final class TaskSetReconciler implements Reconciler<TaskSet>, Cleaner<TaskSet> {

    private static final String BY_POOL = "by-pool";

    private final Doors doors;
    private final RunActions actions;
    private final RunCleanup cleanup;
    private final Clock clock;
    private final Wakeups<TaskSet> wakeups = new Wakeups<>("redis-changes");
    /** What Redis was told of each run last, by uid. */
    private final Map<String, Told> told = new ConcurrentHashMap<>();
    /** How fast each run has been of late, by uid; an operator that starts looks for some seconds before it says so. */
    private final Map<String, Pace> paces = new ConcurrentHashMap<>();
    /** How often Redis came back, perhaps without what it was told before. */
    private final AtomicLong returns = new AtomicLong();

    /** The limits of that generation, since that return of Redis. */
    private record Told(Long generation, long returns) {}

    /** Acts through those doors. */
    public TaskSetReconciler(Doors doors, Clock clock) {
        this.doors = doors;
        this.actions = new RunActions(doors, new SourceReader(doors.kubernetes()), new OwnPool(doors.kubernetes()));
        this.cleanup = new RunCleanup(doors, new OwnPool(doors.kubernetes()), clock);
        this.clock = clock;
    }

    @Override
    public List<EventSource<?, TaskSet>> prepareEventSources(EventSourceContext<TaskSet> context) {
        context.getPrimaryCache()
                .addIndexer(BY_POOL, set -> List.of(poolKey(set.getMetadata().getNamespace(), set.poolName())));
        var configuration = InformerEventSourceConfiguration.from(WorkerPool.class, TaskSet.class)
                .withPrimaryToSecondaryMapper((TaskSet set) ->
                        Set.of(new ResourceID(set.poolName(), set.getMetadata().getNamespace())))
                .withSecondaryToPrimaryMapper(pool -> context
                        .getPrimaryCache()
                        .byIndex(
                                BY_POOL,
                                poolKey(
                                        pool.getMetadata().getNamespace(),
                                        pool.getMetadata().getName()))
                        .stream()
                        .map(ResourceID::fromResource)
                        .collect(Collectors.toSet()))
                .withOnUpdateFilter(PoolChange::matters)
                .build();
        wakeups.over(context.getPrimaryCache());
        doors.runs().onChange(wakeups::wake);
        doors.store().onUp(returns::incrementAndGet);
        doors.store().onUp(wakeups::wakeAll);
        doors.store().onAway(wakeups::wakeAll);
        return List.of(new InformerEventSource<>(configuration, context), wakeups);
    }

    @Override
    public UpdateControl<TaskSet> reconcile(TaskSet set, Context<TaskSet> context) {
        Told present = new Told(set.getMetadata().getGeneration(), returns.get());
        RunView view = observe(set, context, present);
        RunStep step = RunPlanner.plan(view);
        RunActions.Applied applied = actions.apply(view, step);
        if (step instanceof RunStep.Retire) {
            return retire(view);
        }
        if (applied.told()) {
            told.put(uid(set), present);
        }
        RunView after = applied.changed() ? observe(set, context, present) : view;
        TaskSetStatus fresh = RunStatus.of(after, applied.step(), applied.sourceHash());
        if (applied.resubmitted()) {
            doors.announcer().tell(set, RunEvents.resubmitted(view.before(), fresh));
        }
        Optional<Duration> turn = write(after, fresh);
        boolean storeUp = doors.store().state().up();
        return UpdateControl.<TaskSet>noUpdate().rescheduleAfter(RunPace.next(after, applied, turn, storeUp));
    }

    @Override
    public DeleteControl cleanup(TaskSet set, Context<TaskSet> context) {
        Optional<WorkerPool> own =
                WorkersSight.of(set, pool(context)) instanceof WorkersSight.Own(var pool) ? pool : Optional.empty();
        DeleteControl control = cleanup.forget(set, own, keyspace(set, context));
        if (control.isRemoveFinalizer()) {
            forget(set);
        }
        return control;
    }

    private RunView observe(TaskSet set, Context<TaskSet> context, Told present) {
        Instant now = clock.instant();
        Keyspace keyspace = keyspace(set, context);
        TaskSetStatus before = doors.setStatus()
                .current(set)
                .orElseGet(() -> TaskSetStatusBuilder.builder().build());
        boolean finished = Conditions.isTrue(before.conditions(), ConditionType.Finished);
        if (!finished) {
            doors.runs().follow(set, keyspace);
            doors.busyness().note(uid(set), true);
        }
        StoreSight store = doors.facts()
                .objection(keyspace)
                .<StoreSight>map(words -> new StoreSight.Away(StoreReason.Unsupported, words))
                .orElseGet(() -> ask(set, keyspace));
        boolean adjusted = present.equals(told.get(uid(set)));
        return new RunView(
                set, before, keyspace, store, WorkersSight.of(set, pool(context)), adjusted, pace(set, store), now);
    }

    private StoreSight ask(TaskSet set, Keyspace keyspace) {
        return doors.store()
                .ask(
                        () -> new StoreSight.Here(Optional.ofNullable(doors.control()
                                .apply(keyspace)
                                .snapshot(List.of(uid(set)))
                                .get(uid(set)))),
                        TaskSetReconciler::away);
    }

    private Pace pace(TaskSet set, StoreSight store) {
        Optional<TaskSetSnapshot> going =
                store.snapshot().filter(run -> !run.status().isFinal());
        if (going.isEmpty()) {
            return paces.getOrDefault(uid(set), Pace.UNSEEN);
        }
        return paces.compute(
                uid(set),
                (_, pace) -> Optional.ofNullable(pace).orElse(Pace.UNSEEN).seen(going.get()));
    }

    private Optional<Duration> write(RunView view, TaskSetStatus fresh) {
        TaskSet set = view.set();
        doors.gauges().run(uid(set), fresh);
        Optional<TaskSetStatus> written = doors.setStatus().current(set);
        Optional<Duration> turn = doors.setStatus().write(set, fresh, RunStatus.change(written, fresh));
        if (turn.isEmpty()) {
            RunEvents.of(view.before(), fresh).forEach(e -> doors.announcer().tell(set, e));
        }
        return turn;
    }

    /** The status has said it is over: it stays, what the run used goes. */
    private UpdateControl<TaskSet> retire(RunView view) {
        TaskSet set = view.set();
        doors.runs().unfollow(uid(set));
        doors.busyness().note(uid(set), false);
        paces.remove(uid(set));
        Optional<Duration> turn = write(view, RunStatus.over(view));
        return Stream.of(turn, cleanup.afterTtl(view))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(wait -> UpdateControl.<TaskSet>noUpdate().rescheduleAfter(wait))
                .orElseGet(UpdateControl::noUpdate);
    }

    private void forget(TaskSet set) {
        doors.runs().unfollow(uid(set));
        doors.setStatus().forget(uid(set));
        doors.gauges().forget(uid(set));
        doors.busyness().note(uid(set), false);
        told.remove(uid(set));
        paces.remove(uid(set));
    }

    private Keyspace keyspace(TaskSet set, Context<TaskSet> context) {
        return RunKeyspace.of(
                set, doors.setStatus().current(set), pool(context), doors.runs().keyspace(uid(set)));
    }

    private static Optional<WorkerPool> pool(Context<TaskSet> context) {
        return context.getSecondaryResource(WorkerPool.class);
    }

    private static StoreSight away(StoreState.Away away) {
        return new StoreSight.Away(away.reason(), away.words());
    }

    private static String poolKey(String namespace, String name) {
        return namespace + "/" + name;
    }

    private static String uid(TaskSet set) {
        return set.getMetadata().getUid();
    }
}
