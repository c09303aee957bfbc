package dev.quiver.lifecycle.task.results;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lettuce.core.KeyValue;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeOutcome;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.rows.StoredResult;

/** Reads what became of many nodes, in pages. Results come in answers of few bytes, measured first. Thread-safe. */
public final class TaskOutcomes {

    /** Nodes of one read. */
    public static final int PAGE = 1000;

    private final RedisStore store;
    private final TaskKeys keys;
    private final TaskResults results;
    private final ResultPages pages;

    /** The outcomes of a keyspace's nodes. */
    public TaskOutcomes(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keys = new TaskKeys(keyspace);
        this.results = new TaskResults(store, keyspace);
        this.pages = new ResultPages(store, keyspace);
    }

    /** The states of nodes by their ids; absent for one that is not there. */
    public Map<String, Optional<TreeState.State>> states(Collection<String> ids) {
        Map<String, Optional<TreeState.State>> states = new LinkedHashMap<>();
        read(keys.nodes(), ids)
                .forEach((id, text) ->
                        states.put(id, text.map(found -> NodeRecord.parse(found).state())));
        return states;
    }

    /**
     * The outcomes of nodes, by their ids.
     *
     * @param most bytes of one result at most
     * @throws dev.quiver.lifecycle.execution.InputTooLargeException for a joined result above it
     */
    public Map<String, NodeOutcome> of(Collection<String> ids, long most) {
        Map<String, NodeOutcome> outcomes = new LinkedHashMap<>();
        Map<String, Optional<String>> texts = results(ids);
        states(ids).forEach((id, state) -> outcomes.put(id, outcome(id, state, texts.get(id), most)));
        return outcomes;
    }

    private NodeOutcome outcome(String id, Optional<TreeState.State> state, Optional<String> text, long most) {
        if (state.isEmpty()) {
            return new NodeOutcome.Gone();
        }
        if (state.get() == TreeState.State.FAILED) {
            return new NodeOutcome.Failed(
                    results.error(id).orElseGet(() -> new NodeError(id, 0, "Cancelled", "cancelled with its parent")));
        }
        if (!state.get().isOver()) {
            return new NodeOutcome.Open(state.get());
        }
        Optional<StoredResult> stored = text.flatMap(StoredResult::parse);
        if (stored.isPresent() && stored.get() instanceof StoredResult.Value(var value)) {
            return new NodeOutcome.Value(value.json());
        }
        return new NodeOutcome.Value(stored.isEmpty() ? "null" : results.json(id, "", most));
    }

    private Map<String, Optional<String>> results(Collection<String> ids) {
        Map<String, Optional<String>> values = new HashMap<>();
        List<String> all = List.copyOf(ids);
        for (int from = 0; from < all.size(); from += ResultPages.PAGE) {
            List<String> page = all.subList(from, Math.min(all.size(), from + ResultPages.PAGE));
            List<String> texts = pages.read(page, 0, Long.MAX_VALUE);
            for (int i = 0; i < page.size(); i++) {
                values.put(page.get(i), Optional.of(texts.get(i)));
            }
        }
        return values;
    }

    private Map<String, Optional<String>> read(String key, Collection<String> ids) {
        Map<String, Optional<String>> values = new LinkedHashMap<>();
        List<String> all = new ArrayList<>(ids);
        for (int from = 0; from < all.size(); from += PAGE) {
            String[] page = all.subList(from, Math.min(all.size(), from + PAGE)).toArray(String[]::new);
            for (KeyValue<String, String> found : store.ask(redis -> redis.hmget(key, page))) {
                values.put(found.getKey(), Optional.ofNullable(found.getValueOrElse(null)));
            }
        }
        return values;
    }
}
