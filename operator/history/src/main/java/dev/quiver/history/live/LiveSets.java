package dev.quiver.history.live;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetKind;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.worker.SourceRoster;

/**
 * TaskSets: the snapshot that the operator reads.
 *
 * @param store where they are
 */
record LiveSets(RedisStore store) implements LiveKind {

    /** Reads need no term of a leader. */
    private static final long NO_TERM = 0;

    @Override
    public Optional<LiveFigures> figures(LiveRun run) {
        return Optional.ofNullable(new Lifecycle(store)
                        .control(new Keyspace(run.keyspace()), NO_TERM)
                        .snapshot(List.of(run.uid()))
                        .get(run.uid()))
                .map(LiveSets::figures);
    }

    @Override
    public List<Source> sources(LiveRun run) {
        OrdinalKeys keys = new TaskSetKind(store, new Keyspace(run.keyspace())).keys(run.uid());
        return run.pools().stream()
                .limit(1)
                .map(pool -> new Source(
                        new SourceRoster.Source(pool, keys.sessions(), keys::held),
                        id -> OptionalLong.of(Long.parseLong(id))))
                .toList();
    }

    private static LiveFigures figures(TaskSetSnapshot snapshot) {
        return new LiveFigures(
                snapshot.status().name().toLowerCase(Locale.ROOT),
                snapshot.total(),
                Optional.of(snapshot.queued()),
                Optional.of(snapshot.running()),
                snapshot.succeeded() - snapshot.pending(),
                snapshot.pending(),
                snapshot.failed(),
                snapshot.trials(),
                snapshot.lost(),
                Optional.of(snapshot.workers()),
                snapshot.progressAt().map(Instant::toEpochMilli),
                snapshot.storeTime().toEpochMilli());
    }
}
