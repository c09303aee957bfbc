package dev.quiver.history.access;

/** A caller is not admitted. */
public final class AccessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** Why it is not. */
    public enum Kind {
        /** The token is false, expired, or meant for another audience. */
        UNKNOWN,
        /** So many false tokens came that further ones are not looked at for a second. */
        TOO_MANY,
        /** The API server does not answer. */
        AWAY
    }

    /** With words for the caller. */
    public AccessException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    AccessException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Why it is not admitted. */
    public Kind kind() {
        return kind;
    }
}
