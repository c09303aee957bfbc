package dev.quiver.client;

/** A job is not there: it was kept no longer, or was never created. */
public final class JobGoneException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JobGoneException(String id) {
        super("job " + id + " is gone: it was kept no longer");
    }
}
