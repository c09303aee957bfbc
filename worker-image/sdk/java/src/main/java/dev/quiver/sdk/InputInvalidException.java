package dev.quiver.sdk;

/** The input is not what its format says, or not what the function takes. Ends the trial as InputInvalid. */
public class InputInvalidException extends RuntimeException {
    /** With words for the status. */
    public InputInvalidException(String message) {
        super(message);
    }

    /** With words for the status, and why. */
    public InputInvalidException(String message, Throwable cause) {
        super(message, cause);
    }
}
