package dev.quiver.lifecycle.redis;

/**
 * No answer came: the outcome of the call is unknown, it may have been executed or may still be. Repeat it unchanged;
 * every call of this module is idempotent.
 */
public final class StoreUnreachableException extends StoreException {

    /** With the words of the client library as message. */
    public StoreUnreachableException(String message, Throwable cause) {
        super(message, cause);
    }
}
