package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** The common part of the specs of a {@link Task} and a {@link MapReduceJob}: when the work begins, rests and ends. */
public interface TreeSpec {

    /** The pool whose keyspace holds the state. */
    WorkerPoolRef workerPoolRef();

    /** The time before which it does not begin; null for none. */
    String notBefore();

    /** Seconds that it waits after it was accepted; null for none. */
    Integer postponeSeconds();

    /** When it runs again and again; null for once. */
    TaskSchedule schedule();

    /** Whether nothing is given out. */
    Boolean suspend();

    /** Whether it ends for good. */
    Boolean cancel();

    /** Seconds that it, or a run of its schedule, may take; null for no limit. */
    Long activeDeadlineSeconds();

    /** Seconds that it is kept after its end; null for ever. */
    Long ttlSecondsAfterFinished();

    /** The reaction to a loss of its state. */
    StoreLossPolicy storeLossPolicy();

    /** The part of each run that is recorded; null for the default. */
    RunHistory history();

    /** {@link #history}, or that of work whose spec has none. */
    default RunHistory historyOrDefault() {
        return history() == null ? RunHistory.DEFAULT : history();
    }

    /** {@link #notBefore} as an instant, where it is set. */
    default Optional<Instant> startsNotBefore() {
        return Optional.ofNullable(notBefore())
                .map(time -> OffsetDateTime.parse(time).toInstant());
    }

    /** {@link #postponeSeconds} as a duration, where it is set. */
    default Optional<Duration> postponed() {
        return Optional.ofNullable(postponeSeconds()).map(Duration::ofSeconds);
    }

    /** The schedule, where it runs more than once. */
    default Optional<TaskSchedule> recurring() {
        return Optional.ofNullable(schedule());
    }

    /** {@link #activeDeadlineSeconds} as a duration, where there is a limit. */
    default Optional<Duration> activeDeadline() {
        return Optional.ofNullable(activeDeadlineSeconds()).map(Duration::ofSeconds);
    }

    /** {@link #ttlSecondsAfterFinished} as a duration, where the resource is to be deleted. */
    default Optional<Duration> ttlAfterFinished() {
        return Optional.ofNullable(ttlSecondsAfterFinished()).map(Duration::ofSeconds);
    }
}
