package dev.quiver.history.live;

import java.util.List;

/**
 * A run that is not over, by what the record has of it.
 *
 * @param keyspace its prefix
 * @param uid of the run
 * @param kind word of the resource
 * @param pools whose workers may have tasks of it
 * @param chunks nodes whose chunks are tasks of the run
 */
public record LiveRun(String keyspace, String uid, String kind, List<String> pools, List<Long> chunks) {

    /** Copies the lists. */
    public LiveRun {
        pools = List.copyOf(pools);
        chunks = List.copyOf(chunks);
    }
}
