package dev.quiver.controller;

/** A variable of the environment is missing or wrong; the message names it and its value. */
public final class SettingsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SettingsException(String message) {
        super(message);
    }

    SettingsException(String message, Throwable cause) {
        super(message, cause);
    }
}
