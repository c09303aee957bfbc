package dev.quiver.history.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.queue.ChunkKind;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.worker.SourceRoster;

/**
 * Trees with their chunks: the counters of the record, and of what runs now the states of nodes and the chunks' own.
 *
 * @param store where they are
 */
record LiveTrees(RedisStore store) implements LiveKind {

    private static final String RUNNING = "running";
    private static final String LEFT = "left";

    @Override
    public Optional<LiveFigures> figures(LiveRun run) {
        Keyspace keyspace = new Keyspace(run.keyspace());
        return new Lifecycle(store).trees(keyspace).report(run.uid(), 0).map(report -> figures(report, keyspace, run));
    }

    private LiveFigures figures(TreeReport report, Keyspace keyspace, LiveRun run) {
        TreeState.Counts nodes = report.state().counts();
        long queued = nodes.startable() + nodes.restart();
        long running = nodes.locked();
        for (long node : run.chunks()) {
            List<Long> chunks =
                    RecordedCounters.numbers(store, chunks(keyspace, run, node).hash(), RUNNING, LEFT);
            running += chunks.get(0);
            queued += Math.max(0, chunks.get(1) - chunks.get(0));
        }
        RecordedCounters counted = RecordedCounters.of(store, keyspace, run.uid());
        long known = counted.succeeded() + counted.failed() + running + queued;
        return new LiveFigures(
                status(report),
                Math.max(report.state().total(), known),
                Optional.of(queued),
                Optional.of(running),
                counted.succeeded(),
                0,
                counted.failed(),
                counted.trials(),
                counted.lost(),
                Optional.empty(),
                Optional.empty(),
                report.storeTime().toEpochMilli());
    }

    private static String status(TreeReport report) {
        return switch (report.state().state()) {
            case WAITING -> "waiting";
            case FINISHED -> "succeeded";
            case FAILED -> "failed";
            default -> report.suspended() ? "suspended" : "running";
        };
    }

    private OrdinalKeys chunks(Keyspace keyspace, LiveRun run, long node) {
        return new ChunkKind(store, keyspace).keys(ChunkKind.source(TreeIds.node(run.uid(), node)));
    }

    @Override
    public Map<Long, String> nodes(LiveRun run, List<Long> nodes) {
        Map<Long, String> words = new HashMap<>();
        new Lifecycle(store)
                .trees(new Keyspace(run.keyspace()))
                .states(run.uid(), nodes)
                .forEach((node, state) -> words.put(node, word(state)));
        return words;
    }

    private static String word(TreeState.State state) {
        return switch (state) {
            case WAITING -> "waiting";
            case STARTABLE -> "queued";
            case IDLE, LOCKED -> "running";
            case RESTART -> "retrying";
            case FINISHED -> "succeeded";
            case FAILED -> "failed";
        };
    }

    /** Chunks first: they are the many. They stand in the registry of any of the pools. */
    @Override
    public List<Source> sources(LiveRun run) {
        Keyspace keyspace = new Keyspace(run.keyspace());
        List<Source> sources = new ArrayList<>();
        for (long node : run.chunks()) {
            OrdinalKeys keys = chunks(keyspace, run, node);
            long first = (node + 1) << HistoryBounds.CHUNK_BITS;
            String pool = new BoundedReads(store)
                    .pool(keys.hash())
                    .orElse(run.pools().isEmpty() ? "" : run.pools().getFirst());
            if (!pool.isEmpty()) {
                sources.add(new Source(
                        new SourceRoster.Source(pool, keys.sessions(), keys::held),
                        id -> OptionalLong.of(first + Long.parseLong(id))));
            }
        }
        TaskTrees trees = new Lifecycle(store).trees(keyspace);
        for (String pool : run.pools()) {
            sources.add(new Source(trees.queue(pool), id -> ordinal(run.uid(), id)));
        }
        return sources;
    }

    /** The ordinal of a node of this tree. */
    static OptionalLong ordinal(String tree, String id) {
        if (id.equals(tree)) {
            return OptionalLong.of(0);
        }
        return id.startsWith(tree + ".")
                ? OptionalLong.of(Long.parseLong(id.substring(tree.length() + 1)))
                : OptionalLong.empty();
    }
}
