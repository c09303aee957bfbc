package dev.quiver.slots.linux;

import java.io.IOException;

/** A system call failed. The errno decides, the message is for people. */
public final class LinuxException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Try again. */
    public static final int EAGAIN = 11;

    /** Interrupted. */
    public static final int EINTR = 4;

    /** No space left. */
    public static final int ENOSPC = 28;

    private final int errno;

    LinuxException(String what, int errno, String message) {
        super(what + ": " + message);
        this.errno = errno;
    }

    /** The system's error number. */
    public int errno() {
        return errno;
    }
}
