package dev.quiver.controller.task;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.HandlerCondition.Wanted;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSpec;

/** Condition {@code HandlerAvailable} of a Task: that of its worst function; none for a Task of commands. Pure. */
final class TaskHandlers {

    private TaskHandlers() {}

    static Optional<HandlerCondition> of(TaskView view) {
        List<HandlerCondition> all = wanted(view).stream()
                .map(it -> HandlerCondition.of(
                        it, view.pools().get(it.pool()), view.before().conditions(), view.now()))
                .toList();
        return all.stream().min(Comparator.comparing(TaskHandlers::rank)).map(worst -> withOthers(worst, all));
    }

    /**
     * The condition of a Task that succeeded before the condition was known: then all its functions were served. Empty
     * when the condition was known.
     */
    static Optional<HandlerCondition> ofSucceeded(TaskView view) {
        List<HandlerCondition> all =
                wanted(view).stream().map(HandlerCondition::served).toList();
        return HandlerCondition.wasKnown(view.before().conditions())
                ? Optional.empty()
                : all.stream().findFirst().map(first -> withOthers(first, all));
    }

    /** The time after which silent handlers count as not started. */
    static Optional<Duration> untilOverdue(TaskView view) {
        return wanted(view).stream()
                .map(Wanted::pool)
                .distinct()
                .flatMap(pool ->
                        HandlerCondition.untilOverdue(
                                view.pools().get(pool), view.before().conditions(), view.now())
                                .stream())
                .min(Comparator.naturalOrder());
    }

    /** The functions that the nodes name, each with its pool once; other programs' are not known. */
    private static List<Wanted> wanted(TaskView view) {
        TaskSpec spec = view.spec();
        Map<String, Wanted> all = new LinkedHashMap<>();
        for (TaskNode node : spec.allNodes()) {
            if (node.foreignPool() != null) {
                continue;
            }
            for (TaskNode.Runner runner : node.runners()) {
                if (runner.handler() != null) {
                    String pool = TaskView.poolOf(spec, runner);
                    String handler = function(view, pool, runner.handler());
                    String field = spec.unit().isPresent()
                            ? "spec.task.handler"
                            : "node " + node.name() + ", " + runner.field();
                    all.putIfAbsent(pool + "/" + handler, new Wanted(field, handler, pool));
                }
            }
        }
        return List.copyOf(all.values());
    }

    /** The function of a type on the wire of idoit; in the own layout there are no types. */
    private static String function(TaskView view, String pool, String type) {
        return view.layout() instanceof TaskLayout.Own
                ? type
                : view.pools()
                        .get(pool)
                        .serving()
                        .flatMap(it -> it.getSpec().foreignKeys())
                        .map(keys -> keys.handlerOf(type))
                        .orElse(type);
    }

    private static int rank(HandlerCondition condition) {
        return List.of(ConditionStatus.False, ConditionStatus.Unknown, ConditionStatus.True)
                .indexOf(condition.truth());
    }

    private static HandlerCondition withOthers(HandlerCondition worst, List<HandlerCondition> all) {
        long others = all.stream().filter(it -> it.truth() == worst.truth()).count() - 1;
        if (others == 0) {
            return worst;
        }
        String more = worst.reason() == HandlerReason.HandlerServed
                ? " So it is with " + others + " more of its handlers."
                : " " + others + " more of its handlers are not known to be served.";
        return new HandlerCondition(worst.truth(), worst.reason(), worst.message() + more);
    }
}
