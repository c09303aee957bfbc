package dev.quiver.controller.taskset;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.controller.run.HandlerCondition;

/** Condition {@code HandlerAvailable} of a run; none for a run of commands. Pure. */
final class TaskSetHandler {

    private TaskSetHandler() {}

    static Optional<HandlerCondition> of(TaskSetView view) {
        return wanted(view)
                .map(it -> HandlerCondition.of(it, view.workers(), view.before().conditions(), view.now()));
    }

    /**
     * The condition of a run that ended before the condition was known. A trial that ended proves that the handler was
     * served, even if the run was quicker than the pool's report. Empty without a trial, and when the condition was
     * known.
     */
    static Optional<HandlerCondition> ofOver(TaskSetView view) {
        return wanted(view)
                .filter(_ -> !HandlerCondition.wasKnown(view.before().conditions()))
                .filter(_ ->
                        view.store().snapshot().filter(run -> run.trials() > 0).isPresent())
                .map(HandlerCondition::served);
    }

    /** The time after which silent handlers count as not started. */
    static Optional<Duration> untilOverdue(TaskSetView view) {
        return HandlerCondition.untilOverdue(view.workers(), view.before().conditions(), view.now());
    }

    private static Optional<HandlerCondition.Wanted> wanted(TaskSetView view) {
        return view.spec()
                .task()
                .handlerName()
                .map(name -> new HandlerCondition.Wanted(
                        "spec.task.handler", name, view.set().poolName()));
    }
}
