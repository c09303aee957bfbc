package dev.quiver.controller.pool;

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

import dev.quiver.controller.pool.podspec.IsolationCheck;
import dev.quiver.controller.pool.podspec.MemoryFit;
import dev.quiver.controller.pool.podspec.PodParts;
import dev.quiver.controller.pool.podspec.TemplateHash;
import dev.quiver.controller.pool.podspec.WorkerPodBuilder;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.reconcile.WakeupEventSource;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Keeps a pool's pods: observe, plan, apply, status. Its memory between two reconciles may be lost; the plan follows
 * from the observed facts.
 */
public final class WorkerPoolReconciler implements Reconciler<WorkerPool>, Cleaner<WorkerPool> {

    private static final String SELECTOR = Quiver.MANAGED_BY_LABEL + "=" + Quiver.MANAGED_BY + ","
            + PodParts.COMPONENT_LABEL + "=" + PodParts.COMPONENT;
    private static final Duration STALE_CACHE = Duration.ofSeconds(1);

    private static final Duration GRANT_AGAIN = Duration.ofSeconds(5);

    private final PoolContext context;
    private final ControllerContext shared;
    private final WorkerPods pods;
    private final PoolPods observed;
    private final PoolGrants grants;
    private final PoolRecords records;
    private final PoolCleanup cleanup;
    private final WakeupEventSource<WorkerPool> wakeups = new WakeupEventSource<>("worker-registry");
    private final Map<String, PoolMemory> memories = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> knownUids = new ConcurrentHashMap<>();
    /** Pools whose drain marks were compared with the existing pods, since Redis came back or this leader began. */
    private final Set<String> comparedMarks = ConcurrentHashMap.newKeySet();

    /** Pods of which is noted who ends them. */
    private InformerEventSource<Pod, WorkerPool> podSource;

    private PoolApply apply;
    private PodFates fates;

    /** Uses the parts of the context. */
    public WorkerPoolReconciler(PoolContext context) {
        this.context = context;
        this.shared = context.shared();
        this.pods = new WorkerPods(shared.kubernetes());
        this.observed = new PoolPods(pods);
        this.grants = new PoolGrants(shared.store(), context.prefixes(), context.registries(), context.grants());
        this.records = new PoolRecords(shared.store(), context.registries());
        this.cleanup = new PoolCleanup(context, grants, new DrainedPools());
    }

    /** The namespaces that have pools, as the informer knows them. */
    public Set<String> namespaces() {
        return wakeups.namespaces();
    }

    @Override
    public List<EventSource<?, WorkerPool>> prepareEventSources(EventSourceContext<WorkerPool> events) {
        var configuration = InformerEventSourceConfiguration.from(Pod.class, WorkerPool.class)
                .withLabelSelector(SELECTOR)
                .build();
        podSource = new InformerEventSource<>(configuration, events);
        apply = new PoolApply(
                pods, new WorkerPodBuilder(context.platform()), shared.store(), shared.records(), podSource);
        fates = new PodFates(apply);
        wakeups.setCache(events.getPrimaryCache());
        context.registries().onChange(wakeups::wake);
        // A Redis that came back may have marks of its past.
        shared.store().onUp(comparedMarks::clear);
        shared.store().onUp(wakeups::wakeAll);
        shared.store().onAway(wakeups::wakeAll);
        return List.of(podSource, wakeups);
    }

    @Override
    public UpdateControl<WorkerPool> reconcile(WorkerPool pool, Context<WorkerPool> cache) {
        Optional<Duration> left = shared.owners().left(pool);
        if (left.isPresent()) {
            forget(pool);
            return UpdateControl.<WorkerPool>noUpdate().rescheduleAfter(left.get());
        }
        Keyspace keyspace = Keyspaces.of(pool);
        context.tenants().ensure(pool.getMetadata().getNamespace());
        context.registries().follow(pool, keyspace);
        boolean told = shared.records().problem(keyspace).isPresent()
                || grants.sync(pool, keyspace) & records.sync(pool, keyspace);

        PoolView view = observe(pool, cache);
        PoolMemory memory = memories.getOrDefault(uid(pool), PoolMemory.EMPTY);
        PoolPlan plan = view.blocked()
                ? PoolPlan.NOTHING
                : PoolPlanner.plan(view.facts(memory.backoff().from()), view.now());
        PoolMemory after = act(pool, keyspace, view, plan, memory);
        memories.put(uid(pool), after);

        PoolView result = plan.deletions().isEmpty() && plan.create().isEmpty() ? view : observe(pool, cache);
        Optional<Duration> turn = report(pool, result, after);
        return UpdateControl.<WorkerPool>noUpdate().rescheduleAfter(soonest(view, plan, after, turn, told));
    }

    @Override
    public DeleteControl cleanup(WorkerPool pool, Context<WorkerPool> cache) {
        Optional<Duration> left = shared.owners().left(pool);
        if (left.isPresent()) {
            forget(pool);
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(left.get());
        }
        PoolView view = observe(pool, cache);
        PoolPlan.Deletion[] all = view.live().stream()
                .map(p -> new PoolPlan.Deletion(p, PoolPlan.Cause.SURPLUS))
                .toArray(PoolPlan.Deletion[]::new);
        apply.delete(pool, Keyspaces.of(pool), List.of(all));
        if (!view.pods().isEmpty()) {
            context.reporter()
                    .write(pool, PoolStatusCalculator.of(observe(pool, cache), PoolMemory.EMPTY), Change.PROGRESS);
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(Duration.ofSeconds(5));
        }
        DeleteControl control = cleanup.forget(
                pool,
                () -> cache.getPrimaryCache()
                        .list(pool.getMetadata().getNamespace())
                        .map(WorkerPoolReconciler::uid)
                        .toList());
        if (control.isRemoveFinalizer()) {
            forget(pool);
            wakeups.wakeSuccessor(pool);
        }
        return control;
    }

    private PoolView observe(WorkerPool pool, Context<WorkerPool> cache) {
        Instant now = shared.clock().instant();
        Keyspace keyspace = Keyspaces.of(pool);
        StoreState store = shared.records()
                .problem(keyspace)
                .<StoreState>map(message -> new StoreState.Away(now, StoreReason.Unsupported, message))
                .orElseGet(() -> shared.store().state(keyspace));
        Optional<WorkerRegistry> registry = store.up() ? context.registries().of(uid(pool)) : Optional.empty();
        List<WorkerPod> workers = observed.of(pool, cache.getSecondaryResources(Pod.class), registry, store, now);
        WorkerPoolStatus before = context.reporter()
                .current(pool)
                .orElseGet(() -> WorkerPoolStatusBuilder.builder().build());
        forgetGone(pool, workers);
        return new PoolView(
                pool,
                before,
                TemplateHash.of(pool.getSpec(), context.platform()),
                workers,
                blocker(pool),
                store,
                registry,
                context.prefixes().of(pool),
                now,
                shared.store().backlogs().of(keyspace),
                shared.owners().second(pool.getMetadata().getNamespace()));
    }

    private Optional<Blocker> blocker(WorkerPool pool) {
        String namespace = pool.getMetadata().getNamespace();
        return context.tenants()
                .problem(namespace)
                .map(message -> new Blocker(WorkerPoolReason.RedisSecretMissing, message))
                .or(() -> IsolationCheck.problem(
                                pool.getSpec().template().getSpec(),
                                context.tenants().encrypted(namespace))
                        .or(() -> MemoryFit.problem(pool.getSpec(), context.platform()))
                        .map(message -> new Blocker(WorkerPoolReason.SpecInvalid, message)));
    }

    private PoolMemory act(WorkerPool pool, Keyspace keyspace, PoolView view, PoolPlan plan, PoolMemory memory) {
        long generation = pool.getMetadata().getGeneration();
        apply.delete(pool, keyspace, plan.deletions());
        PoolEvents.replaced(plan).ifPresent(e -> context.reporter().publish(pool, e));
        PoolMemory after = memory;
        if (plan.replacesBroken()) {
            after = after.replaced(plan, view.now());
        } else if (view.available() >= view.wanted()) {
            after = after.recovered();
        }
        if (memory.refusal().filter(r -> r.holds(generation, view.now())).isPresent()) {
            return after;
        }
        PoolApply.Outcome outcome = apply.create(pool, keyspace, view.hash(), plan.create());
        return after.with(outcome.refused().map(no -> Refusal.after(memory.refusal(), generation, no, view.now())));
    }

    private Optional<Duration> report(WorkerPool pool, PoolView view, PoolMemory memory) {
        WorkerPoolStatus fresh = PoolStatusCalculator.of(view, memory);
        Map<String, Long> byStage = view.pods().stream()
                .collect(Collectors.groupingBy(p -> p.stage().label(), Collectors.counting()));
        Optional<Duration> turn = context.reporter().report(pool, view.before(), fresh, byStage);
        context.reporter().setActive(pool, fresh.busySlots() != null && fresh.busySlots() > 0);
        return turn;
    }

    private Duration soonest(
            PoolView view, PoolPlan plan, PoolMemory memory, Optional<Duration> statusTurn, boolean told) {
        Optional<Instant> at = Stream.of(
                        plan.requeueAt(),
                        observed.nextSilence(view.pods(), view.registry(), view.store(), view.now()),
                        observed.nextMessage(view.pods(), view.now()),
                        memory.refusal().map(Refusal::until),
                        statusTurn.map(view.now()::plus),
                        Optional.of(view.now().plus(GRANT_AGAIN))
                                .filter(_ -> !told && view.store().up()))
                .flatMap(Optional::stream)
                .min(Instant::compareTo);
        boolean settling = !plan.deletions().isEmpty()
                || (!plan.create().isEmpty() && memory.refusal().isEmpty());
        Duration longest = settling
                ? STALE_CACHE
                : context.tenants().recheck(view.pool().getMetadata().getNamespace());
        Duration wait =
                at.map(i -> Duration.between(shared.clock().instant(), i)).orElse(longest);
        Duration bounded = wait.compareTo(longest) > 0 ? longest : wait;
        return bounded.isPositive() ? bounded : Duration.ofMillis(1);
    }

    private void forgetGone(WorkerPool pool, List<WorkerPod> workers) {
        Set<String> now = PoolPods.uids(workers);
        Set<String> gone = new HashSet<>(knownUids.getOrDefault(uid(pool), Set.of()));
        gone.removeAll(now);
        knownUids.put(uid(pool), now);
        if (!comparedMarks.contains(uid(pool)) && apply.keepDraining(pool, Keyspaces.of(pool), now)) {
            comparedMarks.add(uid(pool));
        }
        fates.note(pool, workers);
        fates.gone(gone);
        if (!gone.isEmpty()) {
            observed.gone(gone);
            apply.undrain(pool, Keyspaces.of(pool), gone);
        }
    }

    private void forget(WorkerPool pool) {
        observed.gone(knownUids.getOrDefault(uid(pool), Set.of()));
        fates.gone(knownUids.getOrDefault(uid(pool), Set.of()));
        knownUids.remove(uid(pool));
        comparedMarks.remove(uid(pool));
        memories.remove(uid(pool));
        grants.forget(uid(pool));
        records.forget(uid(pool));
        context.registries().unfollow(uid(pool));
        context.reporter().forget(pool);
    }

    private static String uid(WorkerPool pool) {
        return pool.getMetadata().getUid();
    }
}
