package dev.quiver.slots;

/** The volumes or the socket could not be set up; the message says what, where and why, in words for a person. */
public final class SlotsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SlotsException(String message) {
        super(message);
    }

    SlotsException(String message, Throwable cause) {
        super(message, cause);
    }
}
