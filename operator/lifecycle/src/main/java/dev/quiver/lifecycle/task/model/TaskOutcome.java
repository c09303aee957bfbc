package dev.quiver.lifecycle.task.model;

/** The outcome of a node. */
public sealed interface TaskOutcome {

    /**
     * It ended well.
     *
     * @param json what it returned; {@code null} for nothing
     */
    record Value(String json) implements TaskOutcome {}

    /** It ended with an error. */
    record Failed(TaskError error) implements TaskOutcome {}

    /** It has not ended. */
    record Open(TreeState.State state) implements TaskOutcome {}

    /** It is not there: it was kept no longer, or was never created. */
    record Gone() implements TaskOutcome {}
}
