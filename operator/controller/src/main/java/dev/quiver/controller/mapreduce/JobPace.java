package dev.quiver.controller.mapreduce;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.RunPace;
import dev.quiver.controller.tree.TreeHandlers;

/** The waits of a job beside those of every tree. Pure. */
final class JobPace {

    /** A missing ConfigMap, which is not watched, is requested by name after this time. */
    private static final Duration INPUT = Duration.ofSeconds(5);

    private JobPace() {}

    static List<Optional<Duration>> of(JobView view) {
        return List.of(
                Optional.of(INPUT).filter(_ -> view.input() instanceof JobInput.NotFound),
                Optional.of(RunPace.BLOCKED).filter(_ -> view.blockage().waiting() > 0),
                TreeHandlers.untilOverdue(JobHandlers.wanted(view), view));
    }
}
