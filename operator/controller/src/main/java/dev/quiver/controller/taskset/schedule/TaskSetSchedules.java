package dev.quiver.controller.taskset.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.reconcile.WakeupEventSource;
import dev.quiver.controller.run.RunState;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;

/**
 * Drives TaskSets that have a schedule. Its clock is the operator's, and its memory is their status and their runs. With
 * no operator nothing begins. The next one makes up for the last run that was due. Thread-safe.
 */
public final class TaskSetSchedules {

    private static final String BY_SCHEDULE = "by-schedule";

    private final ControllerContext shared;
    private final StatusReporter<TaskSetStatus, TaskSet> reporter;
    private final ScheduleActions actions;
    private final WakeupEventSource<TaskSet> wakeups = new WakeupEventSource<>("scheduled-runs");
    /** Set before the first reconcile. */
    private IndexedResourceCache<TaskSet> sets;

    /** Uses these parts. */
    public TaskSetSchedules(ControllerContext shared, StatusReporter<TaskSetStatus, TaskSet> reporter) {
        this.shared = shared;
        this.reporter = reporter;
        this.actions = new ScheduleActions(shared.kubernetes());
    }

    /** The latest run of a schedule among these TaskSets. */
    public static Optional<TaskSet> latest(TaskSet schedule, Collection<TaskSet> sets) {
        TaskSetStatus none = TaskSetStatusBuilder.builder().build();
        return sets.stream()
                .flatMap(set -> ScheduledRun.of(schedule, set, none).stream())
                .max(Comparator.comparing(ScheduledRun::due))
                .map(ScheduledRun::set);
    }

    /** The event source that reconciles a schedule when one of its runs changes; call it once, before the first reconcile. */
    public EventSource<?, TaskSet> source(EventSourceContext<TaskSet> events) {
        var cache = events.getPrimaryCache();
        cache.addIndexer(
                BY_SCHEDULE,
                set -> ScheduledRun.owner(set)
                        .map(OwnerReference::getUid)
                        .map(List::of)
                        .orElse(List.of()));
        sets = cache;
        wakeups.setCache(cache);
        return wakeups;
    }

    /** Reconciles the schedule that made a TaskSet, where one did. */
    public void changed(TaskSet run) {
        ScheduledRun.owner(run)
                .ifPresent(owner -> wakeups.wake(List.of(
                        new ResourceID(owner.getName(), run.getMetadata().getNamespace()))));
    }

    /**
     * Begins and steers the runs of a schedule, and reports on it.
     *
     * @return the time until the next look
     */
    public Duration reconcile(TaskSet set) {
        ScheduleView view = observe(set);
        reporter.setActive(set, true);
        SchedulePlan planned = SchedulePlans.of(view);
        SchedulePlan plan = actions.apply(view, planned);
        TaskSetStatus fresh = ScheduledStatus.of(view, plan);
        Optional<Duration> turn = reporter.report(set, view.before(), fresh, RunState.counted(fresh.conditions()));
        announce(view, plan, turn.isEmpty());
        return ScheduledStatus.wait(plan, view.now(), turn);
    }

    /** The status of a schedule that is over; absent while it goes on. */
    public Optional<TaskSetStatus> end(TaskSet set) {
        return reporter.current(set).filter(status -> Conditions.isTrue(status.conditions(), ConditionType.Finished));
    }

    /** Writes the end of a schedule again, under the generation of a later spec. */
    public Optional<Duration> reportEnd(TaskSet set, TaskSetStatus end) {
        long generation = set.getMetadata().getGeneration();
        TaskSetStatus fresh = TaskSetStatusBuilder.builder(end)
                .observedGeneration(generation)
                .conditions(Conditions.kept(
                        end.conditions(), generation, shared.clock().instant()))
                .build();
        return reporter.report(set, end, fresh, RunState.counted(fresh.conditions()));
    }

    private ScheduleView observe(TaskSet set) {
        TaskSetStatus before = reporter.current(set)
                .orElseGet(() -> TaskSetStatusBuilder.builder().build());
        List<ScheduledRun> runs = sets.byIndex(BY_SCHEDULE, set.getMetadata().getUid()).stream()
                .flatMap(run ->
                        ScheduledRun.of(
                                set,
                                run,
                                reporter.current(run)
                                        .orElseGet(() ->
                                                TaskSetStatusBuilder.builder().build()))
                                .stream())
                .sorted(Comparator.comparing(ScheduledRun::due).reversed())
                .toList();
        Instant now = shared.clock().instant();
        return new ScheduleView(set, before, runs, shared.watch().state(), now);
    }

    /** A run that was missed is told of with the status that counts it, or each look until then would tell of it. */
    private void announce(ScheduleView view, SchedulePlan plan, boolean written) {
        boolean refused = plan.stop().isPresent();
        plan.begin()
                .filter(_ -> !refused)
                .ifPresent(begin -> reporter.publish(
                        view.set(),
                        Event.normal("RunBegun", ScheduledRun.name(view.set(), begin.due()) + " was made.")));
        if (written && plan.missed() > 0) {
            String runs =
                    plan.missed() == 1 ? "1 run was missed: " : plan.missed() + " runs were missed, the last because ";
            reporter.publish(view.set(), Event.warning("RunMissed", runs + plan.why() + "."));
        }
    }
}
