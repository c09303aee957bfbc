package dev.quiver.crds.v1alpha1;

/** How long the name of a {@link TaskOnce} keeps other tasks away. */
public enum TaskOnceUntil {
    /** Until its Task has ended. */
    End,
    /** While its task waits for a worker. */
    Start
}
