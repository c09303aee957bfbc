package dev.quiver.controller.pool;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;

import dev.quiver.controller.pool.podspec.WorkerPodBuilder;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.reconcile.WakeupEventSource;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * Keeps a pool's pods: observe, plan, apply, status. Its memory between two reconciles may be lost; the plan follows
 * from the observed facts.
 */
public final class WorkerPoolReconciler implements Reconciler<WorkerPool>, Cleaner<WorkerPool> {

    private final PoolContext context;
    private final ControllerContext shared;
    private final PoolPods pods;
    private final PoolObserver observer;
    private final PoolApply apply;
    private final PodMarks marks;
    private final PoolSync sync;
    private final PoolCleanup cleanup;
    private final WakeupEventSource<WorkerPool> wakeups = new WakeupEventSource<>("worker-registry");
    private final Map<String, PoolMemory> memories = new ConcurrentHashMap<>();

    /** Uses the parts of the context. */
    public WorkerPoolReconciler(PoolContext context) {
        this.context = context;
        this.shared = context.shared();
        WorkerPods calls = new WorkerPods(shared.kubernetes());
        this.pods = new PoolPods(calls);
        this.apply = new PoolApply(calls, new WorkerPodBuilder(context.platform()), context.calls(), pods::made);
        this.marks = new PodMarks(apply, pods::gone);
        this.observer = new PoolObserver(context, pods, marks);
        this.sync = PoolSync.of(context);
        this.cleanup = new PoolCleanup(context, sync.grants(), new DrainedPools());
    }

    /** The namespaces that have pools, as the informer knows them. */
    public Set<String> namespaces() {
        return wakeups.namespaces();
    }

    @Override
    public List<EventSource<?, WorkerPool>> prepareEventSources(EventSourceContext<WorkerPool> events) {
        wakeups.setCache(events.getPrimaryCache());
        context.registries().onChange(wakeups::wake);
        context.loads().onChange(wakeups::wake);
        context.resources().onChange(wakeups::wake);
        context.probes().onChange(wakeups::wake);
        shared.watch().onUp(marks::storeReturned);
        shared.watch().onUp(wakeups::wakeAll);
        shared.watch().onAway(wakeups::wakeAll);
        return List.of(pods.source(events), wakeups);
    }

    @Override
    public UpdateControl<WorkerPool> reconcile(WorkerPool pool, Context<WorkerPool> cache) {
        Optional<Duration> elsewhere = elsewhere(pool);
        if (elsewhere.isPresent()) {
            return UpdateControl.<WorkerPool>noUpdate().rescheduleAfter(elsewhere.get());
        }
        context.tenants().ensure(pool.getMetadata().getNamespace());
        boolean told = sync.sync(pool);
        PoolMemory memory = memories.getOrDefault(uid(pool), PoolMemory.EMPTY);
        PoolView view = observer.observe(pool, cache, memory);
        PoolPlan plan = view.blocked() ? PoolPlan.NOTHING : PoolPlanner.plan(view.facts(memory), view.now());
        PoolMemory after =
                apply.carryOut(view, plan, memory, event -> context.reporter().publish(pool, event));
        memories.put(uid(pool), after);
        context.figures().replaced(pool, plan);

        PoolView result = plan.changesPods() ? observer.observe(pool, cache, after) : view;
        Optional<Duration> turn = report(pool, result, after);
        return UpdateControl.<WorkerPool>noUpdate()
                .rescheduleAfter(PoolPace.next(
                        view,
                        plan,
                        after,
                        pods.due(view),
                        turn,
                        told,
                        context.tenants().recheck(pool.getMetadata().getNamespace()),
                        shared.clock().instant()));
    }

    @Override
    public DeleteControl cleanup(WorkerPool pool, Context<WorkerPool> cache) {
        Optional<Duration> elsewhere = elsewhere(pool);
        if (elsewhere.isPresent()) {
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(elsewhere.get());
        }
        PoolView view = observer.observe(pool, cache, PoolMemory.EMPTY);
        apply.delete(pool, PoolPlan.Deletion.all(view.live()));
        if (!view.pods().isEmpty()) {
            PoolView left = observer.observe(pool, cache, PoolMemory.EMPTY);
            context.reporter().write(pool, PoolStatusCalculator.of(left, PoolMemory.EMPTY), Change.PROGRESS);
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(Duration.ofSeconds(5));
        }
        DeleteControl control = cleanup.forget(pool, cache.getPrimaryCache());
        if (control.isRemoveFinalizer()) {
            forget(pool);
            wakeups.wakeSuccessor(pool);
        }
        return control;
    }

    private Optional<Duration> report(WorkerPool pool, PoolView view, PoolMemory memory) {
        WorkerPoolStatus fresh = PoolStatusCalculator.of(view, memory);
        context.figures().note(pool, view, fresh);
        Optional<Duration> turn = context.reporter().report(pool, view.before(), fresh, view.byStage());
        context.reporter().setActive(pool, fresh.busySlots() != null && fresh.busySlots() > 0);
        return turn;
    }

    /** Forgets a pool that another installation serves: the wait before the next look; absent for one of ours. */
    private Optional<Duration> elsewhere(WorkerPool pool) {
        Optional<Duration> wait = shared.owners().left(pool);
        wait.ifPresent(_ -> forget(pool));
        return wait;
    }

    private void forget(WorkerPool pool) {
        marks.forget(pool);
        memories.remove(uid(pool));
        sync.forget(pool);
        context.figures().forget(pool);
        context.reporter().forget(pool);
    }

    private static String uid(WorkerPool pool) {
        return pool.getMetadata().getUid();
    }
}
