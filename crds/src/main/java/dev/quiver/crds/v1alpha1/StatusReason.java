package dev.quiver.crds.v1alpha1;

/** Why {@link ConditionType#StatusComplete} has its status, for any kind. */
public enum StatusReason implements Reason {
    // False
    /** The API server refused the whole status; the message has its answer. */
    RefusedByApiServer("The API server refused the status, so a part of it is left out.");

    /** Stands for the message of another condition where the API server refused the status even without its samples. */
    public static final String MESSAGE_LEFT_OUT = "The message is left out, see StatusComplete.";

    private final String sentence;

    StatusReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
