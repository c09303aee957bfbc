package dev.quiver.slots;

/** The outcome of {@link SlotBoard#dispatch}. Anything but {@link Accepted} left the slot as it was. */
public sealed interface Dispatch {
    /**
     * The executor has the tasks.
     *
     * @param generation the slot's generation for this trial; cancel and acknowledge name it
     * @param tasks how many of those offered, in their order: the rest did not fit, or cannot be dispatched
     */
    record Accepted(long generation, int tasks) implements Dispatch {}

    /**
     * The slot is not free.
     *
     * @param state what it is instead
     */
    record NotFree(SlotView state) implements Dispatch {}

    /** No agent is connected, or it is draining: nothing would run the task. */
    record NoAgent() implements Dispatch {}

    /**
     * Payload and command record do not fit into the slot's input.
     *
     * @param neededBytes what they take together
     * @param inputBytes what the slot has
     */
    record TooLarge(long neededBytes, long inputBytes) implements Dispatch {}

    /**
     * No process can be given this.
     *
     * @param message what is wrong, naming the field
     */
    record Invalid(String message) implements Dispatch {}
}
