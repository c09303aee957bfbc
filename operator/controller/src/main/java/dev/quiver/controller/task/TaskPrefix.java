package dev.quiver.controller.task;

import java.util.Optional;

import dev.quiver.controller.tree.PrefixPools;
import dev.quiver.crds.v1alpha1.PrefixWire;

/** The reason why a Task with {@code wire: Idoit} has no prefix that its pools work under, in words. Pure. */
final class TaskPrefix {

    private TaskPrefix() {}

    /** What keeps it from running; absent for one that can, and for another layout. */
    static Optional<String> missing(TaskView view) {
        return switch (view.layout()) {
            case TaskLayout.Own _ -> Optional.empty();
            case TaskLayout.Withheld(String message) -> pools(view).or(() -> Optional.of(message));
            case TaskLayout.Idoit _ -> pools(view);
        };
    }

    private static Optional<String> pools(TaskView view) {
        return new PrefixPools(view.prefixes(), PrefixWire.Idoit)
                .missing(view.servingPools(), name -> TaskPlanner.place(view.spec(), name));
    }
}
