package dev.quiver.controller.pool;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

import dev.quiver.controller.Doors;
import dev.quiver.controller.Keyspaces;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Roster;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.Wakeups;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Keeps a pool's pods: observe, plan, apply, status. Everything it remembers between two looks may be lost; the plan
 * comes from what is there.
 */
public final class WorkerPoolReconciler implements Reconciler<WorkerPool>, Cleaner<WorkerPool> {

    private static final String SELECTOR = Quiver.MANAGED_BY_LABEL + "=" + Quiver.MANAGED_BY + ","
            + PodParts.COMPONENT_LABEL + "=" + PodParts.COMPONENT;
    private static final Duration STALE_CACHE = Duration.ofSeconds(1);

    private final Doors doors;
    private final PodPlatform platform;
    private final WorkerPods pods;
    private final PoolPods observed;
    private final PoolCleanup cleanup;
    private final Clock clock;
    private final Wakeups<WorkerPool> wakeups = new Wakeups<>("worker-roster");
    private final Map<String, PoolMemory> memories = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> seen = new ConcurrentHashMap<>();
    /** Pools whose drain marks were compared with the pods that there are, since Redis came back or this leader began. */
    private final Set<String> marksKept = ConcurrentHashMap.newKeySet();

    private InformerEventSource<Pod, WorkerPool> podSource;
    private PoolApply apply;

    /** Acts through those doors; pods are made as the platform says. */
    public WorkerPoolReconciler(Doors doors, PodPlatform platform, Clock clock) {
        this.doors = doors;
        this.platform = platform;
        this.clock = clock;
        this.pods = new WorkerPods(doors.kubernetes());
        this.observed = new PoolPods(pods);
        this.cleanup = new PoolCleanup(doors, new LeavingPools(), clock);
    }

    @Override
    public List<EventSource<?, WorkerPool>> prepareEventSources(EventSourceContext<WorkerPool> context) {
        var configuration = InformerEventSourceConfiguration.from(Pod.class, WorkerPool.class)
                .withLabelSelector(SELECTOR)
                .build();
        podSource = new InformerEventSource<>(configuration, context);
        apply = new PoolApply(pods, new WorkerPodBuilder(platform), doors.store(), doors.facts(), podSource);
        wakeups.over(context.getPrimaryCache());
        doors.rosters().onChange(wakeups::wake);
        // A Redis that came back may have marks of its past.
        doors.store().onUp(marksKept::clear);
        doors.store().onUp(wakeups::wakeAll);
        doors.store().onAway(wakeups::wakeAll);
        return List.of(podSource, wakeups);
    }

    @Override
    public UpdateControl<WorkerPool> reconcile(WorkerPool pool, Context<WorkerPool> context) {
        Keyspace keyspace = Keyspaces.of(pool);
        doors.tenants().ensure(pool.getMetadata().getNamespace());
        doors.rosters().follow(pool, keyspace);

        PoolView view = observe(pool, context);
        PoolMemory memory = memories.getOrDefault(uid(pool), PoolMemory.FRESH);
        PoolPlan plan = view.stuck()
                ? PoolPlan.NOTHING
                : PoolPlanner.plan(view.facts(memory.backoff().from()), view.now());
        PoolMemory after = act(pool, keyspace, view, plan, memory);
        memories.put(uid(pool), after);

        PoolView result = plan.letGo().isEmpty() && plan.create().isEmpty() ? view : observe(pool, context);
        Optional<Duration> again = write(pool, result, after);
        return UpdateControl.<WorkerPool>noUpdate().rescheduleAfter(soonest(view, plan, after, again));
    }

    @Override
    public DeleteControl cleanup(WorkerPool pool, Context<WorkerPool> context) {
        PoolView view = observe(pool, context);
        PoolPlan.Departure[] all = view.live().stream()
                .map(p -> new PoolPlan.Departure(p, PoolPlan.Why.SURPLUS))
                .toArray(PoolPlan.Departure[]::new);
        apply.letGo(pool, Keyspaces.of(pool), List.of(all));
        if (!view.pods().isEmpty()) {
            doors.poolStatus().write(pool, PoolStatus.of(observe(pool, context), PoolMemory.FRESH), Change.PROGRESS);
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(Duration.ofSeconds(5));
        }
        DeleteControl control = cleanup.forget(
                pool,
                () -> context.getPrimaryCache()
                        .list(pool.getMetadata().getNamespace())
                        .map(WorkerPoolReconciler::uid)
                        .toList());
        if (control.isRemoveFinalizer()) {
            forget(pool);
        }
        return control;
    }

    private PoolView observe(WorkerPool pool, Context<WorkerPool> context) {
        Instant now = clock.instant();
        Keyspace keyspace = Keyspaces.of(pool);
        StoreState store = doors.facts()
                .objection(keyspace)
                .<StoreState>map(words -> new StoreState.Away(now, StoreReason.Unsupported, words))
                .orElseGet(() -> doors.store().state(keyspace));
        Optional<Roster> roster = store.up() ? doors.rosters().of(uid(pool)) : Optional.empty();
        List<WorkerPod> workers = observed.of(pool, context.getSecondaryResources(Pod.class), roster, store, now);
        WorkerPoolStatus before = doors.poolStatus()
                .current(pool)
                .orElseGet(() -> WorkerPoolStatusBuilder.builder().build());
        forgetGone(pool, workers);
        return new PoolView(
                pool, before, TemplateHash.of(pool.getSpec(), platform), workers, objection(pool), store, roster, now);
    }

    private Optional<Objection> objection(WorkerPool pool) {
        String namespace = pool.getMetadata().getNamespace();
        return doors.tenants()
                .objection(namespace)
                .map(words -> new Objection(WorkerPoolReason.RedisSecretMissing, words))
                .or(() -> Border.objection(
                                pool.getSpec().template().getSpec(),
                                doors.tenants().encrypted(namespace))
                        .or(() -> MemoryFit.objection(pool.getSpec(), platform))
                        .map(words -> new Objection(WorkerPoolReason.SpecInvalid, words)));
    }

    private PoolMemory act(WorkerPool pool, Keyspace keyspace, PoolView view, PoolPlan plan, PoolMemory memory) {
        long generation = pool.getMetadata().getGeneration();
        apply.letGo(pool, keyspace, plan.letGo());
        PoolEvents.replaced(plan).ifPresent(e -> doors.announcer().tell(pool, e));
        PoolMemory after = memory;
        if (plan.replacesBroken()) {
            after = after.replaced(plan, view.now());
        } else if (view.available() >= view.wanted()) {
            after = after.well();
        }
        if (memory.refusal().filter(r -> r.holds(generation, view.now())).isPresent()) {
            return after;
        }
        PoolApply.Outcome outcome = apply.create(pool, keyspace, view.hash(), plan.create());
        return after.with(outcome.refused().map(no -> Refusal.after(memory.refusal(), generation, no, view.now())));
    }

    private Optional<Duration> write(WorkerPool pool, PoolView view, PoolMemory memory) {
        WorkerPoolStatus fresh = PoolStatus.of(view, memory);
        Optional<WorkerPoolStatus> written = doors.poolStatus().current(pool);
        Optional<Duration> again = doors.poolStatus().write(pool, fresh, PoolStatus.change(written, fresh));
        if (again.isEmpty()) {
            PoolEvents.of(view.before(), fresh).forEach(e -> doors.announcer().tell(pool, e));
        }
        doors.busyness().note(uid(pool), fresh.busySlots() != null && fresh.busySlots() > 0);
        doors.gauges()
                .pods(
                        uid(pool),
                        view.pods().stream()
                                .collect(Collectors.groupingBy(p -> p.stage().name(), Collectors.counting())));
        return again;
    }

    private Duration soonest(PoolView view, PoolPlan plan, PoolMemory memory, Optional<Duration> statusTurn) {
        Optional<Instant> at = Stream.of(
                        plan.again(),
                        observed.nextSilence(view.pods(), view.roster(), view.store(), view.now()),
                        observed.nextWords(view.pods(), view.now()),
                        memory.refusal().map(Refusal::until),
                        statusTurn.map(view.now()::plus))
                .flatMap(Optional::stream)
                .min(Instant::compareTo);
        boolean settling = !plan.letGo().isEmpty()
                || (!plan.create().isEmpty() && memory.refusal().isEmpty());
        Duration longest = settling
                ? STALE_CACHE
                : doors.tenants().recheck(view.pool().getMetadata().getNamespace());
        Duration wait = at.map(i -> Duration.between(clock.instant(), i)).orElse(longest);
        Duration bounded = wait.compareTo(longest) > 0 ? longest : wait;
        return bounded.isPositive() ? bounded : Duration.ofMillis(1);
    }

    private void forgetGone(WorkerPool pool, List<WorkerPod> workers) {
        Set<String> now = PoolPods.uids(workers);
        Set<String> gone = new HashSet<>(seen.getOrDefault(uid(pool), Set.of()));
        gone.removeAll(now);
        seen.put(uid(pool), now);
        if (!marksKept.contains(uid(pool)) && apply.keepDraining(pool, Keyspaces.of(pool), now)) {
            marksKept.add(uid(pool));
        }
        if (!gone.isEmpty()) {
            observed.gone(gone);
            apply.undrain(pool, Keyspaces.of(pool), gone);
        }
    }

    private void forget(WorkerPool pool) {
        observed.gone(seen.getOrDefault(uid(pool), Set.of()));
        seen.remove(uid(pool));
        marksKept.remove(uid(pool));
        memories.remove(uid(pool));
        doors.rosters().unfollow(uid(pool));
        doors.poolStatus().forget(uid(pool));
        doors.gauges().forget(uid(pool));
        doors.busyness().note(uid(pool), false);
    }

    private static String uid(WorkerPool pool) {
        return pool.getMetadata().getUid();
    }
}
