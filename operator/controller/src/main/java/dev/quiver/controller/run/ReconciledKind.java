package dev.quiver.controller.run;

import java.util.Set;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** A kind of run, for {@link Runs}: which of its runs need a reconcile. Thread-safe. */
public interface ReconciledKind {

    /** The kind. */
    Class<? extends CustomResource<?, ?>> type();

    /** Whether the status of that run may be written now. */
    boolean due(String uid);

    /** The uid of the run that a mark of change is about; as it stands for a kind that marks its runs by uid. */
    default String owner(String mark) {
        return mark;
    }

    /**
     * The marked runs among these that have ended or are gone.
     *
     * @param marks at most 1,000
     */
    Set<String> ended(Keyspace keyspace, Set<String> marks);
}
