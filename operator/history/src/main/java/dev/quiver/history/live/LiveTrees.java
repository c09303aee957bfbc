package dev.quiver.history.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.ChunkKind;
import dev.quiver.lifecycle.task.TaskTrees;
import dev.quiver.lifecycle.task.TreeReport;
import dev.quiver.lifecycle.task.TreeState;
import dev.quiver.lifecycle.worker.SourceRoster;

/**
 * Trees with their chunks: the counters of the record, and of what runs now the states of nodes and the chunks' own.
 *
 * @param store where they are
 */
record LiveTrees(RedisStore store) implements LiveKind {

    private static final int FIELDS_BYTES = 4096;
    private static final String[] COUNTERS = {"s", "f", "t", "l"};
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
            List<Long> chunks = numbers(chunks(keyspace, run, node).hash(), RUNNING, LEFT);
            running += chunks.get(0);
            queued += Math.max(0, chunks.get(1) - chunks.get(0));
        }
        String[] names = new String[COUNTERS.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = run.uid() + " " + COUNTERS[i];
        }
        List<Long> recorded = numbers(keyspace.records(), names);
        long known = recorded.get(0) + recorded.get(1) + running + queued;
        return new LiveFigures(
                status(report),
                Math.max(report.state().total(), known),
                queued,
                running,
                recorded.get(0),
                recorded.get(1),
                recorded.get(2),
                recorded.get(3),
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

    /** Fields of a hash; what is absent, or no number, counts as 0. */
    private List<Long> numbers(String hash, String... names) {
        return new BoundedReads(store)
                .fields(hash, FIELDS_BYTES, names).stream()
                        .map(text -> text.filter(it -> it.matches("\\d{1,15}"))
                                .map(Long::parseLong)
                                .orElse(0L))
                        .toList();
    }

    private OrdinalKeys chunks(Keyspace keyspace, LiveRun run, long node) {
        return new ChunkKind(store, keyspace).keys(ChunkKind.source(TaskTrees.id(run.uid(), node)));
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
