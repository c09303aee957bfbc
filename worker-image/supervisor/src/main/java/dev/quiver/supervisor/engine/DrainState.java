package dev.quiver.supervisor.engine;

/** How far a drain has come, in this order. */
public enum DrainState {
    /** Claiming. */
    SERVING,
    /** No claims; running tasks go on. */
    DRAINING,
    /** Patience is over: running tasks are being stopped and given back. */
    FORCING,
    /** They did not leave their slots in time: they are given back while they still run. */
    ABANDONING,
    /** No task is held any more, or Redis could not be told in time. */
    DRAINED;

    DrainState next() {
        return values()[Math.min(ordinal() + 1, DRAINED.ordinal())];
    }
}
