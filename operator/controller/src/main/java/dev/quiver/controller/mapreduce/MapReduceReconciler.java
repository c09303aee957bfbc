package dev.quiver.controller.mapreduce;

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
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.run.PoolChange;
import dev.quiver.controller.run.RunCleanup;
import dev.quiver.controller.run.RunKeyspace;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.controller.tree.TreeHandlers;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreePace;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreeView;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceJobStatusBuilder;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.ScheduleReport;
import dev.quiver.lifecycle.task.TreeReport;
import dev.quiver.lifecycle.task.TreeState;
import dev.quiver.lifecycle.task.Trees;

/** Drives map-reduce jobs: observe, plan, apply, status. Its memory between two reconciles may be lost. */
public final class MapReduceReconciler implements Reconciler<MapReduceJob>, Cleaner<MapReduceJob> {

    /** A missing ConfigMap is requested by name after this time. */
    private static final Duration INPUT = Duration.ofSeconds(5);

    /** The next look at a job that other programs may run. */
    private static final Duration FOREIGN = Duration.ofSeconds(2);

    private static final String BY_POOL = "jobs-by-pool";

    private final MapReduceContext context;
    private final ControllerContext shared;
    private final TreeActions<JobView> actions;
    private final InputReader inputs;
    private final RunCleanup cleanup;
    private final WakeupEventSource<MapReduceJob> wakeups = new WakeupEventSource<>("redis-changes");
    /** The limits of each MapReduceJob in Redis, by uid. */
    private final Map<String, Synced> synced = new ConcurrentHashMap<>();
    /** The recent pace of the chunks of each job, by uid; an operator that starts measures for some seconds first. */
    private final Map<String, Pace> paces = new ConcurrentHashMap<>();
    /** How often Redis came back, perhaps without earlier writes. */
    private final AtomicLong reconnects = new AtomicLong();

    /** The limits of that generation, since that return of Redis. */
    private record Synced(Long generation, long reconnects) {}

    /** Uses the parts of the context. */
    public MapReduceReconciler(MapReduceContext context) {
        this.context = context;
        this.shared = context.shared();
        this.actions = new TreeActions<>(shared.store(), new JobActs(context));
        this.inputs = new InputReader(shared.kubernetes());
        this.cleanup = new RunCleanup(shared.kubernetes());
    }

    @Override
    public List<EventSource<?, MapReduceJob>> prepareEventSources(EventSourceContext<MapReduceJob> events) {
        var jobs = events.getPrimaryCache();
        jobs.addIndexer(
                BY_POOL,
                job -> JobView.poolNames(job.getSpec()).stream()
                        .map(name -> poolKey(job, name))
                        .toList());
        var configuration = InformerEventSourceConfiguration.from(WorkerPool.class, MapReduceJob.class)
                .withPrimaryToSecondaryMapper((MapReduceJob job) -> JobView.poolNames(job.getSpec()).stream()
                        .map(name -> new ResourceID(name, job.getMetadata().getNamespace()))
                        .collect(Collectors.toSet()))
                .withSecondaryToPrimaryMapper(pool ->
                        jobs.byIndex(BY_POOL, poolKey(pool, pool.getMetadata().getName())).stream()
                                .map(ResourceID::fromResource)
                                .collect(Collectors.toSet()))
                .withOnUpdateFilter(PoolChange::matters)
                .build();
        wakeups.setCache(jobs);
        context.runs().onChange(wakeups::wake);
        shared.store().onUp(reconnects::incrementAndGet);
        shared.store().onUp(wakeups::wakeAll);
        shared.store().onAway(wakeups::wakeAll);
        return List.of(new InformerEventSource<>(configuration, events), wakeups);
    }

    @Override
    public UpdateControl<MapReduceJob> reconcile(MapReduceJob job, Context<MapReduceJob> cache) {
        Optional<Duration> left = shared.owners().left(job);
        if (left.isPresent()) {
            forget(job);
            return UpdateControl.<MapReduceJob>noUpdate().rescheduleAfter(left.get());
        }
        Synced present = new Synced(job.getMetadata().getGeneration(), reconnects.get());
        JobView view = observe(job, cache, present);
        TreePlan plan = JobPlanner.plan(view);
        TreeActions.Applied applied = actions.apply(view, plan);
        if (plan instanceof TreePlan.Retire) {
            return retire(view);
        }
        if (applied.synced()) {
            synced.put(uid(job), present);
        }
        JobView after = applied.changed() ? observe(job, cache, present) : view;
        MapReduceJobStatus fresh = JobStatusCalculator.of(after, applied.plan());
        if (applied.resubmitted()) {
            context.reporter().publish(job, JobEvents.RESUBMITTED);
        }
        Optional<Duration> turn = report(after, fresh);
        boolean storeUp = shared.store().state().up();
        return UpdateControl.<MapReduceJob>noUpdate()
                .rescheduleAfter(TreePace.next(
                        after,
                        applied,
                        turn,
                        storeUp,
                        List.of(
                                input(after),
                                foreign(after),
                                TreeHandlers.untilOverdue(JobHandlers.wanted(after), after))));
    }

    @Override
    public DeleteControl cleanup(MapReduceJob job, Context<MapReduceJob> cache) {
        Optional<Duration> left = shared.owners().left(job);
        if (left.isPresent()) {
            forget(job);
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(left.get());
        }
        Keyspace keyspace = keyspace(job, cache);
        boolean dropped = drop(job, current(job), keyspace);
        DeleteControl control = shared.gate().pass(job, dropped, "the MapReduceJob", () -> {});
        if (control.isRemoveFinalizer()) {
            forget(job);
            wakeups.wakeSuccessor(job);
        }
        return control;
    }

    /** Keys under a prefix that the namespace is not granted any more stay; false without Redis. */
    private boolean drop(MapReduceJob job, MapReduceJobStatus status, Keyspace keyspace) {
        JobLayout layout = layout(job, status);
        boolean nothing = !(layout instanceof JobLayout.Own) && status.grantedPrefix() == null;
        return nothing
                || layout instanceof JobLayout.Withheld
                || actions.drop(
                        job,
                        job.getSpec().historyOrDefault(),
                        status,
                        keyspace,
                        job.getSpec().recurring().map(_ -> context.schedules().apply(keyspace)),
                        context.trees(keyspace, layout));
    }

    private JobLayout layout(MapReduceJob job, MapReduceJobStatus status) {
        return JobLayout.of(job.getSpec(), status, job.getMetadata().getNamespace(), context.prefixes());
    }

    private MapReduceJobStatus current(MapReduceJob job) {
        return context.reporter()
                .current(job)
                .orElseGet(() -> MapReduceJobStatusBuilder.builder().build());
    }

    private JobView observe(MapReduceJob job, Context<MapReduceJob> cache, Synced present) {
        Instant now = shared.clock().instant();
        Keyspace keyspace = keyspace(job, cache);
        MapReduceJobStatus before = current(job);
        boolean finished = Conditions.isTrue(before.conditions(), ConditionType.Finished);
        JobLayout layout = layout(job, before);
        if (!finished) {
            context.runs().follow(job, keyspace);
            context.reporter().setActive(job, true);
        }
        Look look = shared.records()
                .problem(keyspace)
                .map(message -> new Look(new ObservedStore.Away<>(StoreReason.Unsupported, message), Optional.empty()))
                .orElseGet(() -> look(job, before, keyspace, layout, finished));
        boolean adjusted = present.equals(synced.get(uid(job)));
        return new JobView(
                job,
                before,
                keyspace,
                look.job(),
                look.schedule(),
                TreeView.pools(JobView.poolNames(job.getSpec()), cache.getSecondaryResources(WorkerPool.class)),
                finished ? new JobInput.NotRead() : input(job, look, adjusted),
                adjusted,
                pace(job, look.job()),
                layout,
                context.prefixes(),
                now,
                layout instanceof JobLayout.Own ? shared.store().backlogs().of(keyspace) : Optional.empty());
    }

    /** Read where Redis does not have the work of the spec. */
    private JobInput input(MapReduceJob job, Look look, boolean adjusted) {
        boolean there = job.getSpec().recurring().isPresent()
                ? look.schedule().isPresent() && adjusted
                : look.job().snapshot().isPresent();
        return there || job.getSpec().cancel() ? new JobInput.NotRead() : inputs.read(job);
    }

    /** What Redis has: the job, of a schedule that of its latest run, and the schedule. */
    private record Look(ObservedStore<ObservedJob> job, Optional<ScheduleReport> schedule) {}

    private Look look(
            MapReduceJob job, MapReduceJobStatus before, Keyspace keyspace, JobLayout layout, boolean finished) {
        if (layout instanceof JobLayout.Withheld) {
            return shared.store()
                    .ask(
                            () -> new Look(new ObservedStore.Answered<>(Optional.empty()), Optional.empty()),
                            MapReduceReconciler::away);
        }
        return shared.store()
                .ask(
                        () -> {
                            if (job.getSpec().recurring().isEmpty()) {
                                return new Look(
                                        new ObservedStore.Answered<>(
                                                find(job, keyspace, layout, TreeId.of(job, before), finished)),
                                        Optional.empty());
                            }
                            Optional<ScheduleReport> schedule =
                                    context.schedules().apply(keyspace).report(uid(job));
                            return new Look(
                                    new ObservedStore.Answered<>(schedule.flatMap(there ->
                                                    there.runs().stream().findFirst())
                                            .flatMap(run -> find(job, keyspace, layout, run.tree(), finished))),
                                    schedule);
                        },
                        MapReduceReconciler::away);
    }

    private static Look away(StoreState.Away away) {
        return new Look(new ObservedStore.Away<>(away.reason(), away.message()), Optional.empty());
    }

    private Optional<ObservedJob> find(
            MapReduceJob job, Keyspace keyspace, JobLayout layout, String tree, boolean finished) {
        Trees trees = context.trees(keyspace, layout);
        return context.find(keyspace, layout, tree, new JobTree(job.getSpec()).chunks())
                .map(there -> new ObservedJob(
                        new ObservedTree(there.tree(), finished ? Optional.empty() : result(trees, tree, there.tree())),
                        there.chunks()));
    }

    private static Optional<Trees.Measured> result(Trees trees, String tree, TreeReport report) {
        return report.state().over() && report.state().state() == TreeState.State.FINISHED
                ? Optional.of(trees.measure(tree, MapReduceJobStatus.MAX_RESULT_BYTES))
                : Optional.empty();
    }

    private Pace pace(MapReduceJob job, ObservedStore<ObservedJob> store) {
        return store.snapshot()
                .filter(it -> !it.tree().over())
                .flatMap(it -> it.chunks()
                        .map(chunks -> JobStatusCalculator.progress(it.tree().report(), chunks)))
                .map(progress -> paces.compute(
                        uid(job),
                        (_, pace) ->
                                Optional.ofNullable(pace).orElse(Pace.UNSEEN).seen(progress)))
                .orElseGet(() -> paces.getOrDefault(uid(job), Pace.UNSEEN));
    }

    /** A ConfigMap that is not there is looked for again: it is not watched. */
    private static Optional<Duration> input(JobView view) {
        return Optional.of(INPUT).filter(_ -> view.input() instanceof JobInput.NotFound);
    }

    /** Other programs report nothing. */
    private static Optional<Duration> foreign(JobView view) {
        return Optional.of(FOREIGN)
                .filter(_ ->
                        view.layout() instanceof JobLayout.Queue && view.tree().isPresent());
    }

    private Optional<Duration> report(JobView view, MapReduceJobStatus fresh) {
        return context.reporter().report(view.job(), view.before(), fresh, RunState.counted(fresh.conditions()));
    }

    /** Keeps the status, which shows the end. */
    private UpdateControl<MapReduceJob> retire(JobView view) {
        MapReduceJob job = view.job();
        context.runs().unfollow(uid(job));
        context.reporter().setActive(job, false);
        paces.remove(uid(job));
        Optional<Duration> turn = report(view, JobStatusCalculator.over(view));
        Optional<Instant> end =
                Optional.ofNullable(view.before().completionTime()).map(Instant::parse);
        return Stream.of(turn, cleanup.afterTtl(job, view.spec().ttlAfterFinished(), end, view.now()))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(wait -> UpdateControl.<MapReduceJob>noUpdate().rescheduleAfter(wait))
                .orElseGet(UpdateControl::noUpdate);
    }

    private void forget(MapReduceJob job) {
        context.runs().unfollow(uid(job));
        context.reporter().forget(job);
        synced.remove(uid(job));
        paces.remove(uid(job));
    }

    private Keyspace keyspace(MapReduceJob job, Context<MapReduceJob> cache) {
        MapReduceJobStatus status = current(job);
        String pool = job.getSpec().workerPoolRef().name();
        return RunKeyspace.of(
                job.getMetadata().getNamespace(),
                Optional.ofNullable(status.keyspace()),
                status.workHash() != null,
                cache.getSecondaryResources(WorkerPool.class).stream()
                        .filter(it -> it.getMetadata().getName().equals(pool))
                        .findFirst(),
                context.runs().keyspace(uid(job)));
    }

    private static String poolKey(HasMetadata inNamespace, String name) {
        return inNamespace.getMetadata().getNamespace() + "/" + name;
    }

    private static String uid(MapReduceJob job) {
        return job.getMetadata().getUid();
    }
}
