package dev.quiver.lifecycle.task.results;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.LastArgument;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.rows.StoredResult;
import dev.quiver.lifecycle.task.work.TaskLeaf;

/**
 * Reads results of nodes. A chain's result is that of its last child, a group's the array of its children's: both are
 * put together here, not in Redis. Thread-safe.
 */
public final class TaskResults {

    private static final int PAGE = ResultPages.PAGE;

    /** More than twice as deep as a tree may be. */
    private static final int DEPTH = 64;

    /** The array that was read last: a forEach asks for each of its elements. A result never changes. */
    private volatile Elements last = new Elements("", List.of());

    private record Elements(String id, List<String> texts) {}

    /** The input that was put together last: every child of a group after another group gets it. */
    private volatile Joined lastJoined = new Joined("", "");

    private record Joined(String id, String json) {}

    /** Characters of what is kept of it. */
    private static final int MOST_KEPT = 1 << 20;

    private final RedisStore store;
    private final TaskKeys keys;
    private final ResultPages pages;

    /** The results of a keyspace's nodes. */
    public TaskResults(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.pages = new ResultPages(store, keyspace);
        this.keys = new TaskKeys(keyspace);
    }

    /**
     * The value of a node, or of an element of it; {@code null} as JSON for a node that returned nothing or failed.
     *
     * @param path indices of elements, with slashes; empty for the whole
     * @param most bytes of the value at most
     * @throws InputTooLargeException with both sizes
     */
    public String json(String id, String path, long most) {
        return json(id, path, new Budget(most));
    }

    /**
     * The task with its input, and with the results among its arguments.
     *
     * @param most bytes of all of them at most
     * @throws InputTooLargeException with both sizes
     * @throws IllegalArgumentException for an argument that names a node which has not ended, or none
     */
    public TaskLeaf read(TaskLeaf leaf, long most) {
        Budget budget = new Budget(most);
        String tree = TaskKeys.treeOf(leaf.node());
        Map<String, String> values = new HashMap<>();
        leaf.references()
                .forEach((name, ordinal) -> values.put(name, referred(name, TreeIds.node(tree, ordinal), budget)));
        if (leaf.from().isEmpty()) {
            return leaf.with(values, Optional.empty());
        }
        int space = leaf.from().indexOf(' ');
        String of = TreeIds.node(tree, Long.parseLong(leaf.from().substring(0, space)));
        return leaf.with(
                values,
                Optional.of(
                        leaf.isAtEnd()
                                ? new LastArgument.Json(failure(of)
                                        .map(Failure::json)
                                        .map(TaskLeaf::failure)
                                        .orElseGet(() -> TaskLeaf.outcome(fitting(of, most))))
                                : leaf.chunks().isPresent()
                                        ? joined(of, leaf.chunks(), budget)
                                        : element(of, leaf.from().substring(space + 1), budget)));
    }

    /** A node that has ended without a result is null; one that has not ended promises what nobody has yet. */
    private String referred(String name, String id, Budget budget) {
        Optional<StoredResult> stored = read(id);
        if (stored.isPresent()) {
            return json(id, stored.get(), "", budget);
        }
        Optional<NodeRecord> node = node(id);
        if (node.filter(NodeRecord::isOver).isEmpty()) {
            throw new IllegalArgumentException("$(results." + name + ") asks for the result of node " + id + ", which "
                    + (node.isPresent() ? "has not ended" : "is not there")
                    + ": a node that ends earlier in a chain has one");
        }
        return "null";
    }

    /** The result of a root for what runs at the end, which runs also where the result is too large for it. */
    private String fitting(String root, long most) {
        try {
            return json(root, "", Math.min(most / 2, TaskResult.MAX_BYTES));
        } catch (InputTooLargeException large) {
            return "null";
        }
    }

    private LastArgument joined(String id, Budget budget) {
        Joined known = lastJoined;
        if (known.id().equals(id)) {
            return new LastArgument.Json(budget.take(known.json()));
        }
        Found found = resolved(List.of(id), budget).getFirst();
        if (found.stored().orElse(null) instanceof StoredResult.OfChunks(var combines)) {
            return joined(found.id(), combines, budget);
        }
        String json = found.stored()
                .map(stored -> json(found.id(), stored, "", budget))
                .orElse("null");
        if (json.length() <= MOST_KEPT) {
            lastJoined = new Joined(id, json);
        }
        return new LastArgument.Json(json);
    }

    private LastArgument joined(String chunked, Optional<CombineTree> known, Budget budget) {
        ChunkResults chunks = ChunkResults.of(store, keys.keyspace(), chunked);
        CombineTree combines = known.orElseGet(chunks::combines);
        return chunks.joined(combines, combines.last(), budget.left());
    }

    private LastArgument element(String id, String path, Budget budget) {
        return path.isEmpty() ? joined(id, budget) : new LastArgument.Json(part(id, path, budget));
    }

    private String part(String id, String path, Budget budget) {
        Elements array = last;
        if (!array.id().equals(id)) {
            Budget one = new Budget(Long.MAX_VALUE); // of one task: bounded, and only an element of it counts
            Optional<StoredResult> stored =
                    resolved(List.of(id), one).getFirst().stored();
            if (!(stored.orElse(null) instanceof StoredResult.Value(var result)) || result.elements() < 0) {
                return json(id, path, budget);
            }
            array = new Elements(id, result.elementTexts());
            last = array;
        }
        int slash = path.indexOf('/');
        int index = Integer.parseInt(slash < 0 ? path : path.substring(0, slash));
        String text = index < array.texts().size() ? array.texts().get(index) : "null";
        return budget.take(slash < 0 ? text : new TaskResult(text, -1).element(path.substring(slash + 1)));
    }

    /** Counts what is read, so that a wide group is refused before its results are read. */
    private static final class Budget {
        private final long most;
        private long read;
        private int depth;

        Budget(long most) {
            this.most = most;
        }

        long left() {
            return Math.max(most - read, 0);
        }

        String take(String json) {
            read += Utf8.length(json);
            InputTooLargeException.check("the input", read, most);
            return json;
        }
    }

    private String json(String id, String path, Budget budget) {
        return read(id).map(stored -> json(id, stored, path, budget)).orElse("null");
    }

    /** A result that leads in a circle was written by nobody of ours. */
    private String deeper(Budget budget, Supplier<String> read) {
        if (++budget.depth > DEPTH) {
            throw new IllegalArgumentException("results refer to results more than " + DEPTH + " times");
        }
        try {
            return read.get();
        } finally {
            budget.depth--;
        }
    }

    private String json(String id, StoredResult stored, String path, Budget budget) {
        return switch (stored) {
            case StoredResult.Value value -> budget.take(value.result().element(path));
            case StoredResult.Arrow(byte[] stream) -> budget.take(new LastArgument.Arrow(stream).json());
            case StoredResult.Reference file -> budget.take(file.json());
            case StoredResult.Of(long ordinal) ->
                deeper(budget, () -> json(TreeIds.node(TaskKeys.treeOf(id), ordinal), path, budget));
            case StoredResult.OfChildren all -> deeper(budget, () -> children(id, path, budget));
            case StoredResult.OfChunks all -> chunks(id, path, budget);
            case StoredResult.Error error -> "null";
            case StoredResult.ErrorOf error -> "null";
        };
    }

    /** Counted before it is read: the results of many chunks are refused before they are joined. */
    private String chunks(String id, String path, Budget budget) {
        ChunkResults chunks = ChunkResults.of(store, keys.keyspace(), id);
        if (path.isEmpty()) {
            return budget.take(chunks.all(budget.left()));
        }
        int slash = path.indexOf('/');
        int index = Integer.parseInt(slash < 0 ? path : path.substring(0, slash));
        String text = chunks.element(index, budget.left()).orElse("null");
        return budget.take(slash < 0 ? text : new TaskResult(text, -1).element(path.substring(slash + 1)));
    }

    private String children(String id, String path, Budget budget) {
        NodeRecord node = node(id).orElseThrow(() -> new IllegalArgumentException("node " + id + " is gone"));
        if (!path.isEmpty()) {
            int slash = path.indexOf('/');
            long index = Long.parseLong(slash < 0 ? path : path.substring(0, slash));
            return json(node.child(TaskKeys.treeOf(id), index), slash < 0 ? "" : path.substring(slash + 1), budget);
        }
        StringJoiner values = new StringJoiner(",", "[", "]"); // joins them without a further copy
        for (long from = 0; from < node.count(); from += PAGE) {
            List<String> ids = new ArrayList<>();
            for (long i = from; i < Math.min(node.count(), from + PAGE); i++) {
                ids.add(node.child(TaskKeys.treeOf(id), i));
            }
            for (Found found : resolved(ids, budget)) {
                values.add(found.stored()
                        .map(stored -> json(found.id(), stored, "", budget))
                        .orElse("null"));
            }
        }
        return values.toString();
    }

    /** A node and its result, which no other node has. */
    private record Found(String id, Optional<StoredResult> stored) {}

    /** The results of nodes, followed to the nodes that have them, within the budget: nothing more is read. */
    private List<Found> resolved(List<String> ids, Budget budget) {
        List<Found> all = new ArrayList<>(ask(ids, budget, 0));
        for (int depth = 0; depth < DEPTH; depth++) {
            List<Integer> open = new ArrayList<>();
            List<String> next = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i).stored().orElse(null) instanceof StoredResult.Of(long ordinal)) {
                    open.add(i);
                    next.add(TreeIds.node(TaskKeys.treeOf(all.get(i).id()), ordinal));
                }
            }
            if (open.isEmpty()) {
                return all;
            }
            List<Found> found = ask(next, budget, bytes(all));
            for (int i = 0; i < open.size(); i++) {
                all.set(open.get(i), found.get(i));
            }
        }
        throw new IllegalArgumentException("results refer to results more than " + DEPTH + " times");
    }

    private static long bytes(List<Found> found) {
        return found.stream()
                .mapToLong(each -> each.stored().orElse(null) instanceof StoredResult.Value(var result)
                        ? Utf8.length(result.json())
                        : 0)
                .sum();
    }

    /** Reads nothing that passes the budget together with what was read before, and with what waits to be taken. */
    private List<Found> ask(List<String> ids, Budget budget, long waiting) {
        List<String> texts = pages.read(ids, budget.read + waiting, budget.most);
        List<Found> found = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size(); i++) {
            found.add(new Found(ids.get(i), StoredResult.parse(texts.get(i))));
        }
        return found;
    }

    /**
     * An error as it is stored.
     *
     * @param node that failed
     */
    private record Failure(String node, String json) {}

    /** The error of a node, which may be that of a leaf far below; absent for none. */
    Optional<NodeError> error(String id) {
        return failure(id).map(failure -> NodeError.read(failure.node(), failure.json()));
    }

    private Optional<Failure> failure(String id) {
        Optional<StoredResult> stored = read(id);
        String at = id;
        for (int i = 0;
                i < DEPTH && stored.isPresent() && stored.get() instanceof StoredResult.ErrorOf(long ordinal);
                i++) {
            at = TreeIds.node(TaskKeys.treeOf(id), ordinal);
            stored = read(at);
        }
        String node = at;
        return stored.filter(StoredResult.Error.class::isInstance)
                .map(error -> new Failure(node, ((StoredResult.Error) error).json()));
    }

    private Optional<StoredResult> read(String id) {
        return StoredResult.parse(
                store.ask(redis -> redis.hget(keys.results(), id).thenApply(text -> text == null ? "" : text)));
    }

    private Optional<NodeRecord> node(String id) {
        return Optional.of(store.ask(redis -> redis.hget(keys.nodes(), id).thenApply(text -> text == null ? "" : text)))
                .filter(text -> !text.isEmpty())
                .map(NodeRecord::parse);
    }
}
