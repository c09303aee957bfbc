package dev.quiver.controller.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.RunPace;
import dev.quiver.controller.tree.TreeHandlers;

/** The waits of a Task beside those of every tree. Pure. */
final class TaskPace {

    private TaskPace() {}

    /** The Task that is undone may have ended. */
    private static final Duration OTHER = Duration.ofSeconds(3);

    static List<Optional<Duration>> of(TaskView view) {
        return List.of(
                TreeHandlers.untilOverdue(TaskHandlers.wanted(view), view),
                Optional.of(OTHER)
                        .filter(_ ->
                                view.spec().undone().isPresent() && view.tree().isEmpty()),
                Optional.of(RunPace.BLOCKED).filter(_ -> view.blockage().waiting() > 0));
    }
}
