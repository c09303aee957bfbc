package dev.quiver.lifecycle.history;

/**
 * The volume of the record has less room than the record may take.
 *
 * @param wanted bytes that the record may take
 * @param room bytes that its volume has for it, a margin left out
 */
public record Shortage(long wanted, long room) {

    /** Both figures in words, beginning with the record. */
    @Override
    public String toString() {
        return "the record may take " + (wanted >> 20) + " MiB, and its volume has room for " + (room >> 20) + " MiB";
    }
}
