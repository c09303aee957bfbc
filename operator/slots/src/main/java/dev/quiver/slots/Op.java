package dev.quiver.slots;

/** The meaning of the supervisor's word S for its generation. */
enum Op {
    /** No task was dispatched yet. */
    NONE,
    RUN,
    CANCEL,
    FAIL,
    ACKNOWLEDGE
}
