package dev.quiver.client;

/** A job ended with an error, or was cancelled (reason {@code Cancelled}). */
public final class JobFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String node;
    private final String reason;
    private final int trial;

    JobFailedException(String node, String reason, String message, int trial) {
        super(message.isEmpty() ? reason : reason + ": " + message);
        this.node = node;
        this.reason = reason;
        this.trial = trial;
    }

    /** The id of the node that failed first. */
    public String node() {
        return node;
    }

    /** One word. */
    public String reason() {
        return reason;
    }

    /** The trial that ended it; 0 where none did. */
    public int trial() {
        return trial;
    }
}
