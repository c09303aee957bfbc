package dev.quiver.lifecycle.worker;

import java.util.List;
import java.util.Optional;

/**
 * The kinds of work of a keyspace.
 *
 * @param all each source belongs to one of them
 */
public record SourceKinds(List<SourceKind> all) {

    /** Copies the list. */
    public SourceKinds {
        all = List.copyOf(all);
    }

    /** The kind of a source; absent for one that only a newer program knows. */
    public Optional<SourceKind> find(String source) {
        return all.stream().filter(kind -> kind.owns(source)).findFirst();
    }

    /**
     * As above.
     *
     * @throws IllegalArgumentException for one that only a newer program knows
     */
    public SourceKind of(String source) {
        return find(source)
                .orElseThrow(() -> new IllegalArgumentException(
                        "source " + source + " is of a kind that only a newer version knows"));
    }
}
