package dev.quiver.slots;

/** No executor can be given this assignment; the message names the field. */
final class InvalidAssignmentException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidAssignmentException(String message) {
        super(message);
    }
}
