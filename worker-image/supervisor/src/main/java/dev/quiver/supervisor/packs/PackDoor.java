package dev.quiver.supervisor.packs;

/** The other end of a pack. Thread-safe. */
@FunctionalInterface
public interface PackDoor {

    /** The outcome of a pack. */
    enum Answer {
        /** It is stored. */
        STORED,
        /** It never will be. */
        REFUSED,
        /** It may be later. */
        LATER
    }

    /**
     * An answer and its words.
     *
     * @param words for people
     */
    record Reply(Answer answer, String words) {}

    /** Sends a pack and waits for the answer, for seconds. A repeat does no harm. */
    Reply put(String session, long number, String run, byte[] body);
}
