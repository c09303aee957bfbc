package dev.quiver.lifecycle.history;

/** An entry that cannot be read: forged, damaged, or written by a newer program. No part of it was used. */
public final class MalformedEntryException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean newer;

    private MalformedEntryException(String message, boolean newer) {
        super(message);
        this.newer = newer;
    }

    /** With the field that breaks the format, and how. */
    public MalformedEntryException(String message) {
        this(message, false);
    }

    /** For a version or a kind that only a newer program knows. */
    public static MalformedEntryException newer(String message) {
        return new MalformedEntryException(message, true);
    }

    /** Whether a newer program may be able to read the entry. */
    public boolean isNewer() {
        return newer;
    }
}
