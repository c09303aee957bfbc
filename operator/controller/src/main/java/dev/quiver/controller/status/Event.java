package dev.quiver.controller.status;

/**
 * A Kubernetes Event before it is written: its type, reason and message.
 *
 * @param warning whether it needs attention
 * @param reason one PascalCase word
 * @param message a sentence
 */
public record Event(boolean warning, String reason, String message) {

    /** Good to know. */
    public static Event normal(String reason, String message) {
        return new Event(false, reason, message);
    }

    /** Needs attention. */
    public static Event warning(String reason, String message) {
        return new Event(true, reason, message);
    }
}
