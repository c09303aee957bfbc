package dev.quiver.slots;

/** Receives what a {@link SlotBoard} reports. */
@FunctionalInterface
public interface SlotListener {
    /**
     * Called from the board's own thread, one event at a time, in order. It may call the board (hand over, cancel,
     * acknowledge) but must not block: while it runs no slot is looked at. An exception is logged and goes no further.
     */
    void on(SlotEvent event);
}
