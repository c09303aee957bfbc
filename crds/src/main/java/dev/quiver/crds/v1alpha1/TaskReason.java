package dev.quiver.crds.v1alpha1;

/** Why a condition of a {@link Task} has its status, beside {@link TreeReason}. */
public enum TaskReason implements Reason {
    // Finished=False, Succeeded=Unknown
    /** With {@code wire: Idoit}: a pool has no granted prefix; the message has what is missing. */
    PrefixNotGranted("A WorkerPool that the spec names has no granted prefix."),
    /** The spec asks for what this version of the operator cannot do; the message names the field. */
    NotSupported("This version of the operator cannot do what the spec asks for."),

    /** The Task of {@code spec.undoOf} has not ended, or Redis does not have it yet; the message names it. */
    WaitingForTask("The Task of spec.undoOf has not ended."),

    // Finished=True with Succeeded=True
    /** The root succeeded. */
    RootSucceeded("The root succeeded."),

    /** The Task of {@code spec.undoOf} is undone, or was cancelled before it had begun; the message tells. */
    Undone("The Task of spec.undoOf is undone."),

    // Finished=True with Succeeded=False
    /** The Task of {@code spec.undoOf} cannot be undone, or was undone already; the message names it. */
    UndoRefused("The Task of spec.undoOf cannot be undone."),
    /** Another task has the name of {@code once}, so that this one did not run; the message names that one. */
    AlreadyQueued("Another task of the same name waits or goes on."),
    /** A newer task of the same name took its place while it waited; the message names that one. */
    Replaced("A newer task of the same name took its place while it waited."),
    /** The root failed; the message names the node with the first final error. */
    NodeFailed("A node failed in all its trials."),
    /** The root succeeded and the node of {@code spec.finally} failed. */
    FinallyFailed("The node of spec.finally failed."),
    /** The nodes are no tree that can run; the message names the node. A schedule that goes on has Finished=False. */
    GraphInvalid("The nodes are no tree that can run.");

    private final String sentence;

    TaskReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
