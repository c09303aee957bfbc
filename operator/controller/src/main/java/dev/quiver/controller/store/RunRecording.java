package dev.quiver.controller.store;

import java.util.Collection;
import java.util.Optional;
import java.util.function.BiConsumer;

import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Whose runs are recorded, and the end of records. Thread-safe.
 *
 * @param recorded whether any run is
 * @param namespaces whose runs they are
 * @param deletions tells the record of a keyspace that the resources of these uids are deleted
 */
public record RunRecording(
        boolean recorded, NamespaceUids namespaces, BiConsumer<Keyspace, Collection<String>> deletions) {

    /** The uid of a namespace whose runs are recorded, empty where nobody knows it; absent where none are. */
    public Optional<String> of(String namespace) {
        return recorded ? Optional.of(namespaces.of(namespace)) : Optional.empty();
    }

    /**
     * Tells the record that resources are deleted; those whose history asks for that leave nothing there. The call does
     * nothing where no runs are recorded.
     *
     * @param uids of their runs; of a schedule its own
     */
    public void deleted(Keyspace keyspace, Collection<String> uids) {
        if (recorded) {
            deletions.accept(keyspace, uids);
        }
    }
}
