package dev.quiver.crds.v1alpha1;

/** Why a condition of a {@link Task} has its status, beside {@link TreeReason}. */
public enum TaskReason implements Reason {
    // Finished=False, Succeeded=Unknown
    /** With {@code wire: Idoit}: a pool has no granted prefix; the message has what is missing. */
    PrefixNotGranted("A WorkerPool that the spec names has no granted prefix."),
    /** The spec asks for what this version of the operator cannot do; the message names the field. */
    NotSupported("This version of the operator cannot do what the spec asks for."),

    // Finished=True with Succeeded=True
    /** The root succeeded. */
    RootSucceeded("The root succeeded."),

    // Finished=True with Succeeded=False
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
