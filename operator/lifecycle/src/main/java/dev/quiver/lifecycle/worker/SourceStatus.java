package dev.quiver.lifecycle.worker;

/** All that a worker needs to know of the status of a source of work. */
public enum SourceStatus {
    /** Its tasks may be claimed and started. */
    RUNNING,
    /** Its tasks may be neither claimed nor started; it may run again. */
    SUSPENDED,
    /** It has ended, however: nothing of it counts any more. */
    OVER
}
