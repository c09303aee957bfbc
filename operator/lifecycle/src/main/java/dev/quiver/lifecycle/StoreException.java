package dev.quiver.lifecycle;

/** Redis did not do what was asked. The type decides what to do next, never the text. */
public abstract sealed class StoreException extends RuntimeException
        permits StoreUnreachableException, StoreRefusedException, StaleLeaderException {

    StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
