package dev.quiver.controller.task;

import java.util.Optional;

import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.Wire;

/** The layout of a Task's tree in Redis, and its place there. Pure. */
sealed interface TaskLayout {

    /** The own one. */
    record Own() implements TaskLayout {}

    /**
     * That of idoit, under a prefix.
     *
     * @param pool that chains and groups belong to there
     */
    record Idoit(String prefix, String pool) implements TaskLayout {}

    /** That of idoit, without a prefix under which this operator may look. */
    record Withheld(String message) implements TaskLayout {}

    /**
     * The layout of a Task. Once its status names a prefix, its tree is there or nowhere.
     *
     * @param before the status last written
     */
    static TaskLayout of(TaskSpec spec, TaskStatus before, String namespace, GrantedPrefixes prefixes) {
        if (spec.wire() == Wire.Quiver) {
            return new Own();
        }
        Optional<String> recorded = Optional.ofNullable(before.grantedPrefix());
        return switch (prefixes.place(
                namespace, recorded, "the Task", spec.wire().name())) {
            case GrantedPrefixes.Place.At(String prefix) ->
                new Idoit(prefix, spec.workerPoolRef().name());
            case GrantedPrefixes.Place.Withheld(String message) -> new Withheld(message);
        };
    }

    /** The prefix of the tree's keys; absent for the own layout. */
    default Optional<String> granted() {
        return this instanceof Idoit(String prefix, String _) ? Optional.of(prefix) : Optional.empty();
    }
}
