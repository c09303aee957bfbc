package dev.quiver.controller.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.tree.TreeHandlers;

/** The waits of a Task beside those of every tree. Pure. */
final class TaskPace {

    /** Other programs report nothing. */
    private static final Duration FOREIGN = Duration.ofSeconds(2);

    private TaskPace() {}

    static List<Optional<Duration>> of(TaskView view) {
        return List.of(
                Optional.of(FOREIGN)
                        .filter(_ -> view.layout() instanceof TaskLayout.Idoit
                                && view.tree().isPresent()),
                TreeHandlers.untilOverdue(TaskHandlers.wanted(view), view));
    }
}
