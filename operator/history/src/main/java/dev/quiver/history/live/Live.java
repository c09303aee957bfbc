package dev.quiver.history.live;

import java.util.Optional;

/** Figures of runs that are not over. Thread-safe. */
@FunctionalInterface
public interface Live {

    /**
     * The figures of a TaskSet; absent where Redis has none, or does not answer.
     *
     * @param keyspace its prefix
     */
    Optional<LiveFigures> of(String keyspace, String uid);
}
