package dev.quiver.slots;

/** What the two words of a slot mean together: one of the eight states, or nothing that the protocol allows. */
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
