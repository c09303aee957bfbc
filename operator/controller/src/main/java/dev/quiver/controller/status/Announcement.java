package dev.quiver.controller.status;

/**
 * Something that a person should be told in an Event.
 *
 * @param warning whether it needs attention
 * @param reason one PascalCase word
 * @param message a sentence
 */
public record Announcement(boolean warning, String reason, String message) {

    /** Good to know. */
    public static Announcement normal(String reason, String message) {
        return new Announcement(false, reason, message);
    }

    /** Needs attention. */
    public static Announcement warning(String reason, String message) {
        return new Announcement(true, reason, message);
    }
}
