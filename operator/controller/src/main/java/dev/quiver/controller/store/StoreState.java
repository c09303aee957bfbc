package dev.quiver.controller.store;

import java.time.Instant;

import dev.quiver.crds.v1alpha1.StoreReason;

/** Whether Redis can be used. Unreachable is a state, not an exception. */
public sealed interface StoreState {

    /**
     * Redis answers and may be used.
     *
     * @param since when this began, by the operator's clock
     */
    record Up(Instant since) implements StoreState {}

    /**
     * Redis cannot be used.
     *
     * @param since when this began, by the operator's clock
     * @param reason for the condition
     * @param message for the condition
     */
    record Away(Instant since, StoreReason reason, String message) implements StoreState {}

    /** Whether Redis can be used. */
    default boolean up() {
        return this instanceof Up;
    }
}
