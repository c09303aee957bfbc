package dev.quiver.controller.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * Condition {@code HandlerAvailable}: whether a worker of the pool serves the function that a run names; none for a run
 * of commands. The decision uses the handlers in the pool's status. Pure.
 */
record HandlerCondition(ConditionStatus truth, TaskSetReason reason, String message) {

    private static final int NAMES_SHOWN = 12;

    /**
     * The time within which a ready worker's handlers announce themselves, even with imports of large libraries on a
     * busy node.
     */
    private static final Duration START = Duration.ofSeconds(20);

    static Optional<HandlerCondition> of(TaskSetView view) {
        return view.spec().task().handlerName().map(name -> of(name, view));
    }

    /**
     * The condition of a run that ended before the condition was known. A trial that ended proves that the handler was
     * served, even if the run was quicker than the pool's report. Empty without a trial, and when the condition was
     * known.
     */
    static Optional<HandlerCondition> ofOver(TaskSetView view) {
        boolean known = Conditions.find(view.before().conditions(), ConditionType.HandlerAvailable)
                .filter(before -> !before.getStatus().equals(ConditionStatus.Unknown.name()))
                .isPresent();
        return view.spec()
                .task()
                .handlerName()
                .filter(name -> !known)
                .filter(name ->
                        view.store().snapshot().filter(run -> run.trials() > 0).isPresent())
                .map(name -> served(name, view.set().poolName()));
    }

    void set(Conditions fresh) {
        fresh.set(ConditionType.HandlerAvailable, truth, reason, message);
    }

    /** Whether it is known that no worker can run the tasks. */
    boolean unavailable() {
        return truth == ConditionStatus.False;
    }

    /** Whether no worker has announced its handlers yet. */
    boolean nothingAnnounced() {
        return reason == TaskSetReason.NoWorkers;
    }

    private static HandlerCondition of(String name, TaskSetView view) {
        String poolName = view.set().poolName();
        Optional<WorkerPool> pool = view.workers().serving();
        if (pool.isPresent() && pool.get().getSpec().handlerProcess().isEmpty()) {
            return new HandlerCondition(
                    ConditionStatus.False,
                    TaskSetReason.NoHandlerCommand,
                    "spec.task.handler: \"" + name + "\": pool " + poolName
                            + " has no handler.command, so none of its workers serves any handler.");
        }
        List<String> served =
                pool.map(WorkerPool::getStatus).map(WorkerPoolStatus::handlers).orElse(List.of());
        if (served.contains(name)) {
            return served(name, poolName);
        }
        if (served.isEmpty()) {
            return notAnnounced(name, view);
        }
        if (served.size() >= WorkerPoolStatus.MAX_HANDLERS) {
            return new HandlerCondition(
                    ConditionStatus.Unknown,
                    TaskSetReason.HandlerListFull,
                    "The list of handlers of pool " + poolName + " is full, with " + served.size()
                            + " names, and handler \"" + name + "\" is not among them.");
        }
        return new HandlerCondition(
                ConditionStatus.False,
                TaskSetReason.NotServed,
                "No worker of pool " + poolName + " serves handler \"" + name + "\"; served are: " + list(served)
                        + ".");
    }

    private static HandlerCondition notAnnounced(String name, TaskSetView view) {
        int ready = view.workers().ready();
        if (ready > 0 && untilOverdue(view).filter(left -> !left.isPositive()).isPresent()) {
            return new HandlerCondition(
                    ConditionStatus.False,
                    TaskSetReason.HandlerNotStarted,
                    "Workers of pool " + view.set().poolName() + " are ready (" + ready + "), but their"
                            + " handler.command has announced no function, so nobody serves handler \"" + name
                            + "\". Its output is in the log of container worker.");
        }
        return new HandlerCondition(
                ConditionStatus.Unknown,
                TaskSetReason.NoWorkers,
                "No worker of pool " + view.set().poolName() + " has announced its handlers yet; " + ready
                        + " are ready.");
    }

    /**
     * The time after which silent handlers of a ready pool count as not started; zero or less when it has passed.
     * Absent while workers may still be starting.
     */
    static Optional<Duration> untilOverdue(TaskSetView view) {
        Optional<Condition> before = Conditions.find(view.before().conditions(), ConditionType.HandlerAvailable);
        if (before.filter(is -> is.getReason().equals(TaskSetReason.HandlerNotStarted.name()))
                .isPresent()) {
            return Optional.of(Duration.ZERO);
        }
        Optional<Instant> silent = before.filter(is -> is.getReason().equals(TaskSetReason.NoWorkers.name()))
                .map(HandlerCondition::since);
        Optional<Instant> ready = view.workers()
                .serving()
                .map(WorkerPool::getStatus)
                .flatMap(pool -> Conditions.find(pool.conditions(), ConditionType.Ready))
                .filter(is -> is.getStatus().equals(ConditionStatus.True.name()))
                .map(HandlerCondition::since);
        return silent.flatMap(from -> ready.map(since -> since.isAfter(from) ? since : from))
                .map(from -> START.minus(Duration.between(from, view.now())));
    }

    private static Instant since(Condition condition) {
        return Instant.parse(condition.getLastTransitionTime());
    }

    private static HandlerCondition served(String name, String poolName) {
        return new HandlerCondition(
                ConditionStatus.True,
                TaskSetReason.HandlerServed,
                "Workers of pool " + poolName + " serve handler \"" + name + "\".");
    }

    private static String list(List<String> served) {
        int more = served.size() - NAMES_SHOWN;
        return String.join(", ", served.subList(0, Math.min(served.size(), NAMES_SHOWN)))
                + (more > 0 ? " and " + more + " more" : "");
    }
}
