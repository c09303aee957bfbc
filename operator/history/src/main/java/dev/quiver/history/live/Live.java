package dev.quiver.history.live;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Figures of runs that are not over. Thread-safe. */
public interface Live {

    /** The figures of a run; absent where Redis has none, or does not answer. */
    Optional<LiveFigures> of(LiveRun run);

    /**
     * Some of the workers that have tasks of a run; absent where Redis does not answer. Empty if Redis does not have
     * the run.
     *
     * @param limit workers at most; a page may have fewer, and others follow
     */
    Optional<LiveRoster> roster(LiveRun run, LiveRoster.Place from, int limit);

    /**
     * The states of nodes of a tree that goes on, by their numbers: waiting, queued, running, retrying, succeeded, failed. Those
     * that Redis does not have are left out, and all of them where it does not answer.
     *
     * @param nodes at most a thousand
     */
    default Map<Long, String> nodes(LiveRun run, List<Long> nodes) {
        return Map.of();
    }
}
