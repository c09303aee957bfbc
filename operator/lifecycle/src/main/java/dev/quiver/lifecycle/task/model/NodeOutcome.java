package dev.quiver.lifecycle.task.model;

/** The outcome of a node. */
public sealed interface NodeOutcome {

    /**
     * It ended well.
     *
     * @param json what it returned; {@code null} for nothing
     */
    record Value(String json) implements NodeOutcome {}

    /** It ended with an error. */
    record Failed(NodeError error) implements NodeOutcome {}

    /** It has not ended. */
    record Open(TreeState.State state) implements NodeOutcome {}

    /** It is not there: it was kept no longer, or was never created. */
    record Gone() implements NodeOutcome {}
}
