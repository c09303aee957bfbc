package dev.quiver.crds.v1alpha1;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Refuses settings of a node that the layout of idoit cannot hold. The API server refuses what its rules can see,
 * unless the object is older than its rules; so all of it stands here.
 */
final class IdoitCheck {

    /** Every program of idoit has composites of these types. */
    private static final Set<String> TAKEN = Set.of("chain", "group");

    /** Children of an iterator that may live at once: the default, since the wire has no field for it. */
    private static final int WINDOW = TaskIterator.ofHandler("").window();

    private IdoitCheck() {}

    static Optional<String> fault(TaskNode node) {
        return unknown(node)
                .or(() -> Optional.ofNullable(function(node))
                        .filter(TAKEN::contains)
                        .map(type -> "its handler is called " + type + ", as the composites of idoit are"))
                .or(() -> new TaskArguments(node)
                        .references().stream()
                                .findFirst()
                                .map(reference -> "its arguments ask for the result of " + reference.node()
                                        + ", and wire: Idoit has no references: a chain hands over the result before"
                                        + " it alone"));
    }

    private static Optional<String> unknown(TaskNode node) {
        boolean runs = node.handler() != null;
        boolean iterates = node.iterator() != null;
        return Stream.of(
                        absent(!node.command().isEmpty(), "command"),
                        absent(iterates && !node.iterator().command().isEmpty(), "iterator.command"),
                        absent(node.forEach() != null, "forEach"),
                        absent(node.mapReduce() != null, "mapReduce"),
                        absent(node.onChildErrorOrDefault() == OnChildError.Continue, "onChildError: Continue"),
                        absent(!node.env().isEmpty(), "env"),
                        absent(node.once() != null, "once"),
                        absent(iterates && !node.iterator().env().isEmpty(), "iterator.env"),
                        absent(iterates && node.iterator().window() != WINDOW, "iterator.window but " + WINDOW),
                        absent(
                                iterates && node.iterator().activeDeadlineSeconds() != null,
                                "iterator.activeDeadlineSeconds"),
                        absent(!runs && node.activeDeadlineSeconds() != null, "activeDeadlineSeconds but of a handler"))
                .flatMap(Optional::stream)
                .findFirst()
                .map(field -> "wire: Idoit knows no " + field)
                .or(() -> foreign(node));
    }

    private static Optional<String> foreign(TaskNode node) {
        boolean bounded = node.maxTrials() != null || node.backoff() != null || node.activeDeadlineSeconds() != null;
        return Optional.of("the programs of foreignPool " + node.foreignPool()
                        + " decide on maxTrials, backoff and activeDeadlineSeconds")
                .filter(is -> node.foreignPool() != null && bounded);
    }

    private static Optional<String> absent(boolean there, String field) {
        return Optional.of(field).filter(is -> there);
    }

    private static String function(TaskNode node) {
        return node.iterator() == null ? node.handler() : node.iterator().handler();
    }
}
