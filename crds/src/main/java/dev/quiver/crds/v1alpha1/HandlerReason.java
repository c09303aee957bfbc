package dev.quiver.crds.v1alpha1;

/** Why {@link ConditionType#HandlerAvailable} has its status, for any kind. */
public enum HandlerReason implements Reason {
    // True
    /** A worker serves the handler. */
    HandlerServed("A worker serves the handler."),

    // Unknown
    /** No worker has announced its handlers yet. */
    NoWorkers("No worker of the pool has announced its handlers yet."),
    /** The pool serves more handlers than its status lists, and this one is not on the list. */
    HandlerListFull("The pool serves more handlers than its status lists."),

    // False
    /** Workers are ready, but their handler.command has announced nothing for a while: it fails, or hangs. */
    HandlerNotStarted("The workers' handler.command has announced no function."),
    /** Workers are there and none serves the handler; the message lists the handlers that they serve. */
    NotServed("No worker of the pool serves the handler."),
    /** The pool has no {@code handler.command}: none of its workers can ever serve a handler. */
    NoHandlerCommand("The pool has no handler.command, so it serves no handlers.");

    private final String sentence;

    HandlerReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
