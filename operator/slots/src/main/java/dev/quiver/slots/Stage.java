package dev.quiver.slots;

/** The meaning of the executor's word U for its generation. */
enum Stage {
    /** Zeros: never written, or a punched hole. */
    NONE,
    READY,
    RUNNING,
    COMPLETE,
    RETRY,
    CLEANING
}
