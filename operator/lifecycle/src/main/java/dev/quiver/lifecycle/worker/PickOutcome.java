package dev.quiver.lifecycle.worker;

/** What {@link WorkerSession#pick} found. */
public sealed interface PickOutcome {

    /** A set to step. */
    record Picked(String uid) implements PickOutcome {}

    /** Nothing to do in this pool for a new worker. */
    record Nothing() implements PickOutcome {}

    /** This pod takes no more work. */
    record Draining() implements PickOutcome {}

    /** The session is no more: stop what runs, open another. */
    record Condemned() implements PickOutcome {}

    /** The pool's name belongs to another WorkerPool or to none: finish or stop, then exit. */
    record PoolGone() implements PickOutcome {}
}
