package dev.quiver.history.store;

/** Kinds of failures of a database: each is answered in another way. */
public enum Fault {
    /** It does not answer, is locked, or ends what it does: the same write succeeds later. */
    AWAY,
    /** It has no room: something has to go first. */
    FULL,
    /** It refuses the content: without the entry that has it, the rest is written. */
    CONTENT,
    /** Its file is damaged. */
    DAMAGED
}
