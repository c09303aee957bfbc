package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * Condition {@code HandlerAvailable} for one function: whether a worker of the pool serves it. The decision uses the
 * handlers in the pool's status. Pure.
 */
public record HandlerCondition(ConditionStatus truth, HandlerReason reason, String message) {

    private static final int NAMES_SHOWN = 12;

    /**
     * The time within which a ready worker's handlers announce themselves, even with imports of large libraries on a
     * busy node.
     */
    private static final Duration START = Duration.ofSeconds(20);

    /**
     * A function that a run needs.
     *
     * @param field that names it, for people
     * @param name of the function
     * @param pool that is to serve it
     */
    public record Wanted(String field, String name, String pool) {}

    /** Sets the condition. */
    public void set(Conditions fresh) {
        fresh.set(ConditionType.HandlerAvailable, truth, reason, message);
    }

    /** Whether it is known that no worker can run the tasks. */
    public boolean unavailable() {
        return truth == ConditionStatus.False;
    }

    /** Whether no worker has announced its handlers yet. */
    public boolean nothingAnnounced() {
        return reason == HandlerReason.NoWorkers;
    }

    /** Whether the condition was True or False before. */
    public static boolean wasKnown(List<Condition> before) {
        return Conditions.find(before, ConditionType.HandlerAvailable)
                .filter(is -> !is.getStatus().equals(ConditionStatus.Unknown.name()))
                .isPresent();
    }

    /**
     * The condition of a function.
     *
     * @param workers the pool that is to serve it
     * @param before the conditions last written
     */
    public static HandlerCondition of(Wanted wanted, ObservedPool workers, List<Condition> before, Instant now) {
        Optional<WorkerPool> pool = workers.serving();
        if (pool.isPresent() && pool.get().getSpec().handlerProcess().isEmpty()) {
            return new HandlerCondition(
                    ConditionStatus.False,
                    HandlerReason.NoHandlerCommand,
                    wanted.field() + ": \"" + wanted.name() + "\": pool " + wanted.pool()
                            + " has no handler.command, so none of its workers serves any handler.");
        }
        List<String> served =
                pool.map(WorkerPool::getStatus).map(WorkerPoolStatus::handlers).orElse(List.of());
        if (served.contains(PrintableText.line(wanted.name()))) {
            return served(wanted);
        }
        if (served.isEmpty()) {
            return notAnnounced(wanted, workers, before, now);
        }
        if (served.size() >= WorkerPoolStatus.MAX_HANDLERS) {
            return new HandlerCondition(
                    ConditionStatus.Unknown,
                    HandlerReason.HandlerListFull,
                    "The list of handlers of pool " + wanted.pool() + " is full, with " + served.size()
                            + " names, and handler \"" + wanted.name() + "\" is not among them.");
        }
        return new HandlerCondition(
                ConditionStatus.False,
                HandlerReason.NotServed,
                "No worker of pool " + wanted.pool() + " serves handler \"" + wanted.name() + "\"; served are: "
                        + list(served) + ".");
    }

    private static HandlerCondition notAnnounced(
            Wanted wanted, ObservedPool workers, List<Condition> before, Instant now) {
        int ready = workers.ready();
        if (ready > 0
                && untilOverdue(workers, before, now)
                        .filter(left -> !left.isPositive())
                        .isPresent()) {
            return new HandlerCondition(
                    ConditionStatus.False,
                    HandlerReason.HandlerNotStarted,
                    "Workers of pool " + wanted.pool() + " are ready (" + ready + "), but their"
                            + " handler.command has announced no function, so nobody serves handler \""
                            + wanted.name() + "\". Its output is in the log of container worker.");
        }
        return new HandlerCondition(
                ConditionStatus.Unknown,
                HandlerReason.NoWorkers,
                "No worker of pool " + wanted.pool() + " has announced its handlers yet; " + ready + " are ready.");
    }

    /**
     * The time after which silent handlers of a ready pool count as not started; zero or less when it has passed.
     * Absent while workers may still be starting.
     */
    public static Optional<Duration> untilOverdue(ObservedPool workers, List<Condition> before, Instant now) {
        Optional<Condition> was = Conditions.find(before, ConditionType.HandlerAvailable);
        if (was.filter(is -> is.getReason().equals(HandlerReason.HandlerNotStarted.name()))
                .isPresent()) {
            return Optional.of(Duration.ZERO);
        }
        Optional<Instant> silent = was.filter(is -> is.getReason().equals(HandlerReason.NoWorkers.name()))
                .map(HandlerCondition::since);
        Optional<Instant> ready = workers.serving()
                .map(WorkerPool::getStatus)
                .flatMap(pool -> Conditions.find(pool.conditions(), ConditionType.Ready))
                .filter(is -> is.getStatus().equals(ConditionStatus.True.name()))
                .map(HandlerCondition::since);
        return silent.flatMap(from -> ready.map(since -> since.isAfter(from) ? since : from))
                .map(from -> START.minus(Duration.between(from, now)));
    }

    private static Instant since(Condition condition) {
        return Instant.parse(condition.getLastTransitionTime());
    }

    /** The condition of a function that is served. */
    public static HandlerCondition served(Wanted wanted) {
        return new HandlerCondition(
                ConditionStatus.True,
                HandlerReason.HandlerServed,
                "Workers of pool " + wanted.pool() + " serve handler \"" + wanted.name() + "\".");
    }

    private static String list(List<String> served) {
        int more = served.size() - NAMES_SHOWN;
        return String.join(", ", served.subList(0, Math.min(served.size(), NAMES_SHOWN)))
                + (more > 0 ? " and " + more + " more" : "");
    }
}
