package dev.quiver.controller.mapreduce;

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
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceJobStatusBuilder;

/** Drives map-reduce jobs: observe, plan, apply, status. */
public final class MapReduceReconciler implements Reconciler<MapReduceJob>, Cleaner<MapReduceJob> {

    private final MapReduceContext context;
    private final ControllerContext shared;
    private final TreeActions<JobView> actions;
    private final PoolWatch<MapReduceJob> pools =
            new PoolWatch<>(MapReduceJob.class, job -> JobView.poolNames(job.getSpec()));
    private final RunMemory<MapReduceJobStatus, MapReduceJob> memory;
    private final TreeHome<MapReduceJobStatus, MapReduceJob> home;
    private final JobObserver observer;
    private final Retirement<MapReduceJob> retirement;

    /** Uses the parts of the context. */
    public MapReduceReconciler(MapReduceContext context) {
        this.context = context;
        this.shared = context.shared();
        this.actions = new TreeActions<>(shared.calls(), shared.recording(), context.acts());
        this.memory = RunMemory.of(shared.watch(), context.runs(), context.reporter());
        this.home = new TreeHome<>(
                context.reporter(),
                pools,
                memory,
                () -> MapReduceJobStatusBuilder.builder().build());
        this.observer = new JobObserver(context, home);
        this.retirement = Retirement.of("the MapReduceJob", shared, memory, pools);
    }

    @Override
    public List<EventSource<?, MapReduceJob>> prepareEventSources(EventSourceContext<MapReduceJob> events) {
        return pools.sources(events, shared.watch(), context.runs());
    }

    @Override
    public UpdateControl<MapReduceJob> reconcile(MapReduceJob job, Context<MapReduceJob> cache) {
        Optional<Duration> elsewhere = retirement.elsewhere(job);
        if (elsewhere.isPresent()) {
            return UpdateControl.<MapReduceJob>noUpdate().rescheduleAfter(elsewhere.get());
        }
        RunMemory.Spec present = memory.spec(job);
        JobView view = observer.observe(job, present);
        TreePlan plan = JobPlanner.plan(view);
        TreeActions.Applied applied = actions.apply(view, plan);
        if (plan instanceof TreePlan.Retire) {
            return retire(view);
        }
        if (applied.synced()) {
            memory.written(job, present);
        }
        JobView after = applied.changed() ? observer.observe(job, present) : view;
        MapReduceJobStatus fresh = JobStatusCalculator.of(after, applied.plan());
        if (applied.resubmitted()) {
            context.reporter().publish(job, TreeEvents.resubmitted("the job"));
        }
        Optional<Duration> turn = report(after, fresh);
        boolean storeUp = shared.watch().state().up();
        return UpdateControl.<MapReduceJob>noUpdate()
                .rescheduleAfter(memory.until(TreePace.next(after, applied, turn, storeUp, JobPace.of(after))));
    }

    @Override
    public DeleteControl cleanup(MapReduceJob job, Context<MapReduceJob> cache) {
        return retirement.deleted(job, () -> {
            MapReduceJobStatus status = home.current(job);
            return actions.drop(job, job.getSpec(), status, home.keyspace(job, status), observer.layout(job, status));
        });
    }

    private Optional<Duration> report(JobView view, MapReduceJobStatus fresh) {
        return context.reporter().report(view.job(), view.before(), fresh, RunState.counted(fresh.conditions()));
    }

    private UpdateControl<MapReduceJob> retire(JobView view) {
        return retirement.over(
                view.job(),
                () -> report(view, JobStatusCalculator.over(view)),
                view.spec().ttlAfterFinished(),
                view.before().completionTime(),
                view.now());
    }
}
