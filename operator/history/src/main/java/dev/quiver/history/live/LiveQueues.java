package dev.quiver.history.live;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * The hour of a pool's queue: trees without a resource, and those under a granted prefix. It has what ended in that
 * hour. Work that waits or runs belongs to no hour yet, so no run has it as its task.
 *
 * @param store where they are
 */
record LiveQueues(RedisStore store) implements LiveKind {

    private static final String RUNNING = "running";

    @Override
    public Optional<LiveFigures> figures(LiveRun run) {
        Keyspace keyspace = new Keyspace(run.keyspace());
        if (RecordedCounters.numbers(store, keyspace.records(), run.uid()).getFirst() == 0) {
            return Optional.empty();
        }
        RecordedCounters counted = RecordedCounters.of(store, keyspace, run.uid());
        List<String> time = store.ask(redis -> redis.time());
        return Optional.of(new LiveFigures(
                RUNNING,
                counted.succeeded() + counted.failed(),
                Optional.empty(),
                Optional.empty(),
                counted.succeeded(),
                0,
                counted.failed(),
                counted.trials(),
                counted.lost(),
                Optional.empty(),
                Optional.empty(),
                Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000));
    }

    @Override
    public List<Source> sources(LiveRun run) {
        return List.of();
    }
}
