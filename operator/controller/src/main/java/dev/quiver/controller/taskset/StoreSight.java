package dev.quiver.controller.taskset;

import java.util.Optional;

import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/** What Redis says of a run. */
sealed interface StoreSight {

    /** Nothing: it cannot be asked. */
    record Away(StoreReason reason, String words) implements StoreSight {}

    /** The run as it stands, or that it is not there. */
    record Here(Optional<TaskSetSnapshot> run) implements StoreSight {}

    /** Whether Redis was asked at all since the operator's start. */
    default boolean asked() {
        return !(this instanceof Away(var reason, var _)) || reason != StoreReason.NotAsked;
    }

    /** The run, where Redis has it. */
    default Optional<TaskSetSnapshot> snapshot() {
        return this instanceof Here(var run) ? run : Optional.empty();
    }
}
