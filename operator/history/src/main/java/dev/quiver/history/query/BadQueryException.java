package dev.quiver.history.query;

/** A parameter that makes no sense; the message names it. */
public final class BadQueryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With words for the caller. */
    public BadQueryException(String message) {
        super(message);
    }
}
