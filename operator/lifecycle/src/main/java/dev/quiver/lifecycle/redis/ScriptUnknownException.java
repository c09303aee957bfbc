package dev.quiver.lifecycle.redis;

/** Redis does not have this digest: a restart or another node. Send the text. */
final class ScriptUnknownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ScriptUnknownException(Throwable cause) {
        super(cause);
    }
}
