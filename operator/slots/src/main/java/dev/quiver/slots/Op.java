package dev.quiver.slots;

/** What the supervisor's word S says about its generation. */
enum Op {
    /** Nothing was handed over yet. */
    NONE,
    RUN,
    CANCEL,
    FAIL,
    ACKNOWLEDGE
}
