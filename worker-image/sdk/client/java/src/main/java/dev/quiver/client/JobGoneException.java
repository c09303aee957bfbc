package dev.quiver.client;

/** A job is not there: it was kept no longer, was never created, or a crash of Redis lost it. */
public final class JobGoneException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JobGoneException(String id) {
        super("job " + id + " is gone: it was kept no longer, or a crash of Redis lost it");
    }
}
