package dev.quiver.lifecycle.redis;

/** This way to call a script is closed: no such command, no right to it, or no such function. The call did nothing. */
final class ScriptWayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean functionMissing;

    ScriptWayException(boolean functionMissing, String message, Throwable cause) {
        super(message, cause);
        this.functionMissing = functionMissing;
    }

    /** Whether the server takes functions and lacks this one. */
    boolean functionMissing() {
        return functionMissing;
    }
}
