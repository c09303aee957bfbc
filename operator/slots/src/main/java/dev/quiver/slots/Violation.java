package dev.quiver.slots;

/**
 * Something that the user's side wrote and that no correct executor writes: sabotage, or a broken one. The worker pod
 * should be replaced.
 *
 * @param slot the slot, or -1 if it concerns the connection
 * @param kind what kind of thing it is
 * @param text what was found, in words, at most a few hundred characters
 */
public record Violation(int slot, Kind kind, String text) {
    /** Kinds of violation. */
    public enum Kind {
        /** A word ran backwards, or the pair of words is none of the eight states. */
        WORDS,
        /** A field of a result is outside its bound. */
        RESULT,
        /** An output or tail file is not the plain file of the said size. */
        FILE,
        /** The announced handlers are no list of names. */
        HANDLERS,
        /** A wrong frame, or a descriptor that is not the sealed memory it should be. */
        CONNECTION
    }
}
