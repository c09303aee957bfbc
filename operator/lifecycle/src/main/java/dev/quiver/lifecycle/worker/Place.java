package dev.quiver.lifecycle.worker;

/**
 * Where a claimed task goes: kept in Redis with the claim, so that a supervisor that comes back knows which slot held
 * what.
 *
 * @param slot 0 to 63, or −1 for the prefetch queue
 * @param generation the slot's generation, or the queue's position
 */
public record Place(int slot, long generation) {

    /** Checks the bounds. */
    public Place {
        if (slot < -1 || slot > 63 || generation < 0) {
            throw new IllegalArgumentException(
                    "slot must be -1 to 63, generation not negative: " + slot + " " + generation);
        }
    }

    /** A slot reserved for the task. */
    public static Place slot(int slot, long generation) {
        return new Place(slot, generation);
    }

    /** A place in the bounded prefetch queue: what waits there when its session dies was not lost. */
    public static Place queued(long position) {
        return new Place(-1, position);
    }

    /** Whether this is no slot yet. */
    public boolean isQueued() {
        return slot < 0;
    }

    public String text() {
        return slot + "." + generation;
    }

    public static Place parse(String text) {
        int dot = text.indexOf('.', 1);
        return new Place(Integer.parseInt(text.substring(0, dot)), Long.parseLong(text.substring(dot + 1)));
    }
}
