package dev.quiver.lifecycle.task.rows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * The ends of the nodes of a tree, for its record. These are the first {@value #MOST} nodes by number, also those that
 * a forEach or an iterator made. A node alone needs none, since its trial tells it. A tenant may have written the
 * records, so what makes no sense is left out. Thread-safe.
 */
public record NodeEnds(RedisStore store, Keyspace keyspace) {

    /** Nodes whose ends are recorded. */
    static final int MOST = 32_000;

    private static final int PAGE = 500;
    private static final int FACTS_BYTES = 4096;
    private static final int PAGE_BYTES = 512 << 10;

    /**
     * Reads them.
     *
     * @return pages of nodes without names, none of a tree that is gone; absent where the budget does not suffice
     */
    public Optional<List<RunNames>> of(String tree, CallBudget budget) {
        if (!budget.take(1)) {
            return Optional.empty();
        }
        long nodes = nodesOf(tree);
        if (nodes <= 1) {
            return Optional.of(List.of());
        }
        if (!budget.take(Math.toIntExact(Math.ceilDiv(nodes, PAGE)))) {
            return Optional.empty();
        }
        List<RunNames> pages = new ArrayList<>();
        for (long from = 0; from < nodes; from += PAGE) {
            List<RunNames.Node> page = page(tree, from, Math.min(nodes, from + PAGE));
            if (!page.isEmpty()) {
                pages.add(new RunNames("", 0, List.of(), page));
            }
        }
        return Optional.of(pages);
    }

    /** The states of these nodes now, by their numbers; those that are not there are left out. */
    public Map<Long, TreeState.State> states(String tree, List<Long> nodes) {
        String[] ids = nodes.stream().map(node -> TreeIds.node(tree, node)).toArray(String[]::new);
        Map<Long, TreeState.State> states = new HashMap<>();
        List<Optional<String>> records = records(ids);
        for (int i = 0; i < records.size(); i++) {
            long node = nodes.get(i);
            records.get(i)
                    .flatMap(NodeEnds::parsed)
                    .filter(record -> !record.isTemplate())
                    .ifPresent(record -> states.put(node, record.state()));
        }
        return states;
    }

    /** In the order of the ids; none where they are larger than any of ours. */
    private List<Optional<String>> records(String[] ids) {
        try {
            return ids.length == 0
                    ? List.of()
                    : new BoundedReads(store).fields(new TaskKeys(keyspace).nodes(), PAGE_BYTES, ids);
        } catch (StoreRefusedException tooLarge) {
            return List.of();
        }
    }

    private static Optional<NodeRecord> parsed(String text) {
        try {
            return Optional.of(NodeRecord.parse(text)).filter(record -> record.isTemplate() || record.state() != null);
        } catch (IllegalArgumentException | IndexOutOfBoundsException senseless) {
            return Optional.empty();
        }
    }

    private long nodesOf(String tree) {
        try {
            return new BoundedReads(store)
                    .fields(new TaskKeys(keyspace).roots(), FACTS_BYTES, tree).getFirst().stream()
                            .mapToLong(text -> RootFacts.parse(text).next())
                            .map(next -> Math.clamp(next, 0, MOST))
                            .findFirst()
                            .orElse(0);
        } catch (IllegalArgumentException | StoreRefusedException senseless) {
            return 0;
        }
    }

    private List<RunNames.Node> page(String tree, long from, long to) {
        String[] ids = LongStream.range(from, to)
                .mapToObj(ordinal -> TreeIds.node(tree, ordinal))
                .toArray(String[]::new);
        List<RunNames.Node> page = new ArrayList<>();
        List<Optional<String>> records = records(ids);
        for (int i = 0; i < records.size(); i++) {
            long ordinal = from + i;
            records.get(i).flatMap(text -> node(ordinal, text)).ifPresent(page::add);
        }
        return page;
    }

    private static Optional<RunNames.Node> node(long ordinal, String text) {
        try {
            return parsed(text)
                    .filter(record -> !record.isTemplate())
                    .filter(record -> record.parent() >= -1 && record.parent() <= HistoryBounds.TASK)
                    .map(record -> new RunNames.Node(
                            ordinal,
                            record.parent(),
                            record.kindWord(),
                            "",
                            record.state().recorded(),
                            0,
                            0));
        } catch (IllegalArgumentException senseless) {
            return Optional.empty();
        }
    }
}
