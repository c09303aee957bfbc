package dev.quiver.lifecycle.redis;

/** Redis did not do what was asked. The type decides what to do next, never the text. */
public abstract class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * In these words.
     *
     * @param cause absent: null
     */
    protected StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
