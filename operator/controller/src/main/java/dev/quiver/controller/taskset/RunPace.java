package dev.quiver.controller.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetStatus;

/** When to look at a run again if nothing wakes it before. Pure. */
final class RunPace {

    /** A ConfigMap that is awaited is asked for by name. */
    static final Duration SOURCE = Duration.ofSeconds(5);

    /** Redis wakes what changes; this is for what it might have missed. */
    static final Duration SAFETY = Duration.ofSeconds(60);

    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private RunPace() {}

    /**
     * The shortest of what the run waits for.
     *
     * @param statusTurn when the status may be written; absent when it was
     */
    static Duration next(RunView view, RunActions.Applied applied, Optional<Duration> statusTurn) {
        boolean over = applied.step() instanceof RunStep.Conclude
                || view.store().snapshot().filter(s -> s.status().isFinal()).isPresent();
        if (over && statusTurn.isEmpty()) {
            return AT_ONCE;
        }
        boolean awaitsSource = applied.step() instanceof RunStep.Hold(TaskSetReason reason, var _)
                && reason == TaskSetReason.SourceNotFound;
        return Stream.of(
                        statusTurn,
                        awaitsSource ? Optional.of(SOURCE) : Optional.<Duration>empty(),
                        view.store().snapshot().flatMap(run -> deadline(view, run)))
                .flatMap(Optional::stream)
                .filter(Duration::isPositive)
                .min(Duration::compareTo)
                .filter(d -> d.compareTo(SAFETY) < 0)
                .orElse(SAFETY);
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
