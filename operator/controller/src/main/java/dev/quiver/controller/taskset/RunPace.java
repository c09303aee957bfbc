package dev.quiver.controller.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetStatus;

/** When to look at a run again if nothing wakes it before. Pure. */
final class RunPace {

    /** A ConfigMap that is awaited is asked for by name. */
    static final Duration SOURCE = Duration.ofSeconds(5);

    /** Redis wakes what changes; this is for what it might have missed. */
    static final Duration SAFETY = Duration.ofSeconds(60);

    /** Quota and policies change by people. */
    static final Duration POOL = Duration.ofSeconds(30);

    /** One call that failed says little: Redis may be asked again. While it is away, its return wakes every run. */
    static final Duration STORE = Duration.ofSeconds(2);

    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private RunPace() {}

    /**
     * The shortest of what the run waits for.
     *
     * @param statusTurn when the status may be written; absent when it was
     * @param storeUp whether Redis can be used, as of the operator's last look at it
     */
    static Duration next(RunView view, RunActions.Applied applied, Optional<Duration> statusTurn, boolean storeUp) {
        boolean over = applied.step() instanceof RunStep.Conclude
                || view.store().snapshot().filter(s -> s.status().isFinal()).isPresent();
        if (over && statusTurn.isEmpty()) {
            return AT_ONCE;
        }
        return Stream.of(
                        statusTurn,
                        applied.step() instanceof RunStep.Hold hold ? hold(hold) : Optional.<Duration>empty(),
                        storeUp && unheard(view, applied) ? Optional.of(STORE) : Optional.<Duration>empty(),
                        HandlerCondition.of(view).flatMap(any -> HandlerCondition.untilLate(view)),
                        view.store().snapshot().flatMap(run -> deadline(view, run)))
                .flatMap(Optional::stream)
                .filter(Duration::isPositive)
                .min(Duration::compareTo)
                .filter(d -> d.compareTo(SAFETY) < 0)
                .orElse(SAFETY);
    }

    private static Optional<Duration> hold(RunStep.Hold hold) {
        return switch (hold.reason()) {
            case SourceNotFound, Accepting -> Optional.of(SOURCE);
            case WorkerPoolRefused -> Optional.of(POOL);
            default -> Optional.empty();
        };
    }

    /** Whether Redis did not answer, or does not know yet what the spec says. */
    private static boolean unheard(RunView view, RunActions.Applied applied) {
        boolean untold = applied.step() instanceof RunStep.Steer && !applied.told();
        return untold || view.store() instanceof StoreSight.Away;
    }

    /** Without a worker nobody else would notice that the time is over. */
    private static Optional<Duration> deadline(RunView view, TaskSetSnapshot run) {
        if (run.status() != TaskSetStatus.RUNNING) {
            return Optional.empty();
        }
        Optional<Instant> end =
                view.spec().activeDeadline().flatMap(d -> run.startedAt().map(s -> s.plus(d)));
        return end.map(at -> Duration.between(run.storeTime(), at).plusMillis(50))
                .map(left -> left.isPositive() ? left : Duration.ofSeconds(1));
    }
}
