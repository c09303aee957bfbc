package dev.quiver.controller.run;

import java.util.Optional;

import dev.quiver.crds.v1alpha1.StoreReason;

/**
 * The state of a run in Redis.
 *
 * @param <R> the run there
 */
public sealed interface ObservedStore<R> {

    /** Redis cannot be asked. */
    record Away<R>(StoreReason reason, String message) implements ObservedStore<R> {}

    /** The run in Redis; absent when it is not there. */
    record Answered<R>(Optional<R> run) implements ObservedStore<R> {}

    /** Whether Redis was asked at all since the operator's start. */
    default boolean asked() {
        return !(this instanceof Away<R>(var reason, var _)) || reason != StoreReason.NotAsked;
    }

    /** The run, where Redis has it. */
    default Optional<R> snapshot() {
        return this instanceof Answered<R>(var run) ? run : Optional.empty();
    }
}
