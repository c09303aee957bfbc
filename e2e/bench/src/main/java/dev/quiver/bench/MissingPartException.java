package dev.quiver.bench;

/** A benchmark cannot run here: the message names the missing part and how to get it. */
public final class MissingPartException extends Exception {

    public MissingPartException(String message) {
        super(message);
    }
}
