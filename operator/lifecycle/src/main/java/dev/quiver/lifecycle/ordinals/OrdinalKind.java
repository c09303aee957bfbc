package dev.quiver.lifecycle.ordinals;

import java.util.Optional;

import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SessionCalls;

/** The differences between two kinds of sources of numbered tasks. A kind is thread-safe. */
public interface OrdinalKind {

    /** Whether the source of this name in the pool's order is of this kind. */
    boolean owns(String source);

    /** See {@link dev.quiver.lifecycle.worker.WorkSource#label}. */
    String label();

    /** The keys of a source of this kind. */
    OrdinalKeys keys(String source);

    /**
     * Reads what all tasks of a source share.
     *
     * @return absent where there is no such source
     * @throws IllegalArgumentException when a newer operator wrote it
     */
    Optional<OrdinalTasks> tasks(String source);

    /**
     * Brings a page of a list, see {@link dev.quiver.lifecycle.worker.WorkSource#list}.
     */
    default boolean list(SessionCalls session, Claim claim, int page, String text) {
        throw new IllegalStateException("no task of " + claim.uid() + " writes a list");
    }

    /**
     * Runs a command on trees that the end of a source left. It blocks, and may be called again.
     *
     * @param command as it stands among the commands
     */
    default void run(String command) {
        throw new IllegalStateException("sources of this kind stand in no tree: " + command);
    }
}
