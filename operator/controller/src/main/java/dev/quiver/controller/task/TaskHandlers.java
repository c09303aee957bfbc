package dev.quiver.controller.task;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.HandlerCondition.Wanted;
import dev.quiver.controller.tree.TreeHandlers;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSpec;

/** Condition {@code HandlerAvailable} of a Task: that of its worst function; none for a Task of commands. Pure. */
final class TaskHandlers {

    private TaskHandlers() {}

    static Optional<HandlerCondition> of(TaskView view) {
        return TreeHandlers.of(wanted(view), view);
    }

    /**
     * The functions that the nodes name, and those of queued work that iterators made, each with its pool once; other
     * programs' are not known.
     */
    static List<Wanted> wanted(TaskView view) {
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
        view.tree()
                .map(tree -> tree.report().queued())
                .orElse(List.of())
                .forEach(work -> work.handler()
                        .ifPresent(handler -> all.putIfAbsent(
                                work.pool() + "/" + handler,
                                new Wanted("node " + work.name() + ", handler", handler, work.pool()))));
        return List.copyOf(all.values());
    }

    /** The function of a type on the wire of idoit; in the own layout there are no types. */
    private static String function(TaskView view, String pool, String type) {
        return view.layout() instanceof TreeLayout.Own
                ? type
                : view.pools()
                        .get(pool)
                        .serving()
                        .flatMap(it -> it.getSpec().foreignKeys())
                        .map(keys -> keys.handlerOf(type))
                        .orElse(type);
    }
}
