package dev.quiver.history.live;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

import dev.quiver.lifecycle.worker.SourceRoster;

/** How runs of some kinds are read. Stateless. */
interface LiveKind {

    /**
     * The counters; absent for a run that is not there.
     *
     * @throws dev.quiver.lifecycle.redis.StoreException when Redis does not answer
     * @throws IllegalArgumentException for a uid that no run can have
     */
    Optional<LiveFigures> figures(LiveRun run);

    /** The states of some of its nodes, see {@link Live#nodes}; none of what is no tree. */
    default Map<Long, String> nodes(LiveRun run, List<Long> nodes) {
        return Map.of();
    }

    /** Where its tasks come from, in the order of the roster. */
    List<Source> sources(LiveRun run);

    /**
     * A source.
     *
     * @param task number in the run of a task of the source; empty for one of another run
     */
    record Source(SourceRoster.Source keys, Function<String, OptionalLong> task) {}
}
