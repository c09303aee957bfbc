package dev.quiver.slots;

/** What the executor's word U says about its generation. */
enum Stage {
    /** Zeros: never written, or a punched hole. */
    NONE,
    READY,
    RUNNING,
    COMPLETE,
    RETRY,
    CLEANING
}
