package dev.quiver.slots;

/** The meaning of a slot's two words together: one of the eight states, or nothing that the protocol allows. */
public sealed interface SlotView {
    /**
     * A state of the protocol.
     *
     * @param state which one
     */
    record Seen(SlotState state) implements SlotView {}

    /**
     * Words that no run of the protocol leaves behind.
     *
     * @param text what is impossible about them
     */
    record Impossible(String text) implements SlotView {}
}
