package dev.quiver.controller.task;

import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.controller.store.GrantedPrefixes.Use;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.WorkerPool;

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
        return view.servingPools().stream().flatMap(pool -> ofPool(view, pool)).findFirst();
    }

    private static Stream<String> ofPool(TaskView view, WorkerPool pool) {
        String name = pool.getMetadata().getName();
        String place = TaskPlanner.place(view.spec(), name) + ": ";
        return switch (view.prefixes().of(pool)) {
            case Use.Granted _ when isIdoit(pool) -> Stream.empty();
            case Use.Granted _ ->
                Stream.of(place + "WorkerPool " + name
                        + " shares its spec.grantedPrefix with programs of another wire, and"
                        + " wire: Idoit needs spec.grantedPrefix.wire: Idoit.");
            case Use.None _ ->
                Stream.of(place + "WorkerPool " + name + " has no spec.grantedPrefix, and wire: Idoit needs one.");
            case Use.Refused(var _, String message) -> Stream.of(place + "WorkerPool " + name + ": " + message);
        };
    }

    private static boolean isIdoit(WorkerPool pool) {
        return pool.getSpec()
                .foreignKeys()
                .filter(keys -> keys.wire() == PrefixWire.Idoit)
                .isPresent();
    }
}
