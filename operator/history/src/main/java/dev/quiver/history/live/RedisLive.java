package dev.quiver.history.live;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.worker.SourceRoster;

/**
 * Figures and rosters by a few bounded reads, never a scan. Each run, and each page of its roster, is read once a second
 * at most for all who ask; while Redis does not answer, too.
 */
public final class RedisLive implements Live {

    private static final Duration KEPT = Duration.ofSeconds(1);
    private static final int MOST = 1_000;
    /** Reads of one page: a pool's queue has workers without a task of the run. */
    private static final int READS = 10;

    private final Lifecycle lifecycle;
    private final Map<String, LiveKind> kinds;
    private final Cache<LiveRun, Optional<LiveFigures>> figures = cache();
    private final Cache<Asked, Optional<LiveRoster>> rosters = cache();

    private record Asked(LiveRun run, LiveRoster.Place from, int limit) {}

    /** Over a store that the caller closes. */
    public RedisLive(RedisStore store) {
        lifecycle = new Lifecycle(store);
        LiveKind trees = new LiveTrees(store);
        kinds = Map.of(
                RunKind.TASK_SET.word(),
                new LiveSets(store),
                RunKind.TASK.word(),
                trees,
                RunKind.MAP_REDUCE_JOB.word(),
                trees,
                RunKind.QUEUE.word(),
                new LiveQueues(store));
    }

    private static <K, V> Cache<K, V> cache() {
        return Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(KEPT).build();
    }

    @Override
    public Optional<LiveFigures> of(LiveRun run) {
        return figures.get(run, this::read);
    }

    private Optional<LiveFigures> read(LiveRun run) {
        try {
            return Optional.ofNullable(kinds.get(run.kind())).flatMap(kind -> kind.figures(run));
        } catch (StoreException | IllegalArgumentException e) {
            // A forged uid is no key; a Redis that is away has no figures.
            return Optional.empty();
        }
    }

    @Override
    public Optional<LiveRoster> roster(LiveRun run, LiveRoster.Place from, int limit) {
        return rosters.get(new Asked(run, from, limit), this::read);
    }

    private Optional<LiveRoster> read(Asked asked) {
        LiveKind kind = kinds.get(asked.run.kind());
        LiveRoster nobody = new LiveRoster(List.of(), Optional.empty(), Optional.empty());
        try {
            return Optional.of(kind == null ? nobody : read(asked, kind.sources(asked.run)));
        } catch (StoreException e) {
            return Optional.empty();
        } catch (IllegalArgumentException forged) {
            return Optional.of(nobody);
        }
    }

    @Override
    public Map<Long, String> nodes(LiveRun run, List<Long> nodes) {
        try {
            return Optional.ofNullable(kinds.get(run.kind()))
                    .map(kind -> kind.nodes(run, nodes))
                    .orElse(Map.of());
        } catch (StoreException | IllegalArgumentException e) {
            return Map.of();
        }
    }

    private LiveRoster read(Asked asked, List<LiveKind.Source> sources) {
        SourceRoster reader = lifecycle.roster(new Keyspace(asked.run.keyspace()));
        List<LiveRoster.Worker> workers = new ArrayList<>();
        Optional<Long> at = Optional.empty();
        LiveRoster.Place place = asked.from;
        for (int read = 0; place.source() < sources.size(); read++) {
            if (read == READS || workers.size() >= asked.limit) {
                return new LiveRoster(workers, Optional.of(place), at);
            }
            LiveKind.Source source = sources.get(place.source());
            SourceRoster.Page page = reader.read(source.keys(), place.after(), asked.limit - workers.size());
            if (page.storeTime().isPresent()) {
                at = page.storeTime().map(Instant::toEpochMilli);
            }
            long last = place.after();
            for (SourceRoster.Member member : page.members()) {
                last = member.joined();
                List<LiveRoster.Held> held = held(member, source);
                if (!held.isEmpty()) {
                    workers.add(worker(member, source.keys().pool(), held));
                }
            }
            boolean more = page.more() && last > place.after();
            place = more ? new LiveRoster.Place(place.source(), last) : new LiveRoster.Place(place.source() + 1, 0);
        }
        return new LiveRoster(workers, Optional.empty(), at);
    }

    private static List<LiveRoster.Held> held(SourceRoster.Member member, LiveKind.Source source) {
        List<LiveRoster.Held> held = new ArrayList<>();
        for (SourceRoster.Held task : member.held()) {
            OptionalLong number = source.task().apply(task.task());
            if (number.isPresent()) {
                held.add(new LiveRoster.Held(
                        number.getAsLong(), Optional.of(task.slot()).filter(slot -> slot >= 0)));
            }
        }
        held.sort(java.util.Comparator.comparing(
                        (LiveRoster.Held task) -> task.slot().orElse(Integer.MAX_VALUE))
                .thenComparing(LiveRoster.Held::task));
        return held;
    }

    private static LiveRoster.Worker worker(SourceRoster.Member member, String pool, List<LiveRoster.Held> held) {
        return new LiveRoster.Worker(
                member.session(),
                pool,
                member.worker()
                        .map(record -> new LiveRoster.Identity(
                                record.worker().pod(),
                                record.worker().node(),
                                record.worker().slots(),
                                record.busySlots(),
                                record.draining(),
                                record.lastHeartbeat().toEpochMilli())),
                held);
    }
}
