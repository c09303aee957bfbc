package dev.quiver.history.live;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/**
 * Figures as the operator reads them: a few fields of one set, never a scan. Each set is read once a second at most,
 * for all who ask; while Redis does not answer, too.
 */
public final class RedisLive implements Live {

    private static final Duration KEPT = Duration.ofSeconds(1);
    private static final int MOST = 1_000;
    /** Reads need no term of a leader. */
    private static final long NO_TERM = 0;

    private final Lifecycle lifecycle;
    private final Cache<Set, Optional<LiveFigures>> kept =
            Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(KEPT).build();

    private record Set(String keyspace, String uid) {}

    /** Over a store that the caller closes. */
    public RedisLive(RedisStore store) {
        lifecycle = new Lifecycle(store);
    }

    @Override
    public Optional<LiveFigures> of(String keyspace, String uid) {
        return kept.get(new Set(keyspace, uid), this::read);
    }

    private Optional<LiveFigures> read(Set set) {
        try {
            return Optional.ofNullable(lifecycle
                            .control(new Keyspace(set.keyspace), NO_TERM)
                            .snapshot(List.of(set.uid))
                            .get(set.uid))
                    .map(RedisLive::figures);
        } catch (StoreException | IllegalArgumentException e) {
            // A forged uid is no key; a Redis that is away has no figures.
            return Optional.empty();
        }
    }

    private static LiveFigures figures(TaskSetSnapshot snapshot) {
        return new LiveFigures(
                snapshot.status().name().toLowerCase(Locale.ROOT),
                snapshot.total(),
                snapshot.queued(),
                snapshot.running(),
                snapshot.succeeded(),
                snapshot.failed(),
                snapshot.trials(),
                snapshot.lost(),
                snapshot.workers(),
                snapshot.progressAt().map(Instant::toEpochMilli),
                snapshot.storeTime().toEpochMilli());
    }
}
