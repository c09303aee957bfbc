package dev.quiver.controller.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.tree.TreeHandlers;

/** The waits of a Task beside those of every tree. Pure. */
final class TaskPace {

    /** A change of a resource that the pool's status shows wakes its Tasks; it shows some of many. */
    private static final Duration BLOCKED = Duration.ofSeconds(30);

    private TaskPace() {}

    static List<Optional<Duration>> of(TaskView view) {
        return List.of(
                TreeHandlers.untilOverdue(TaskHandlers.wanted(view), view),
                Optional.of(BLOCKED).filter(_ -> view.blockage().waiting() > 0));
    }
}
