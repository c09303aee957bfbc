package dev.quiver.sdk;

/** The task failed for good, whatever trials it has left. */
public class DoNotRetryException extends Exception {
    /** With words for the status. */
    public DoNotRetryException(String message) {
        super(message);
    }

    /** With words for the status, and why. */
    public DoNotRetryException(String message, Throwable cause) {
        super(message, cause);
    }
}
