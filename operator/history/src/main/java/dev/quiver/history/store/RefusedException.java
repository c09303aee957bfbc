package dev.quiver.history.store;

/** A command that was not begun, or was taken back: its message is for the person who gave it. */
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1;

    /** With a reason that names the file, the table or the address. */
    public RefusedException(String reason) {
        super(reason);
    }
}
