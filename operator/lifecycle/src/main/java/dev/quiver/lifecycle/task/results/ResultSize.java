package dev.quiver.lifecycle.task.results;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.TextNode;

import dev.quiver.lifecycle.arrow.ArrowStream;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.rows.StoredResult;

/**
 * Measures the result of a node, and reads it where it is small. In the place of an Arrow stream stands its summary: nobody
 * reads base64 in a status. For one result; not thread-safe.
 */
public final class ResultSize {

    /** Parts of a result that are looked at. */
    private static final int PARTS = 20_000;

    private static final int PAGE = 500;

    /** More than the largest result of one task. */
    private static final int CALL_BYTES = 512 * 1024;

    private static final int DEPTH = 64;
    private static final String NULL = "null";

    private final RedisStore store;
    private final Keyspace keyspace;
    private final String tree;
    private final long most;
    private final StringBuilder json = new StringBuilder();
    private long bytes;
    private long shownBytes;
    private int parts;
    private boolean whole = true;

    private ResultSize(RedisStore store, Keyspace keyspace, String tree, long most) {
        this.store = store;
        this.keyspace = keyspace;
        this.tree = tree;
        this.most = most;
    }

    /** Measures the result of a tree. */
    public static Trees.Measured of(RedisStore store, Keyspace keyspace, String tree, long most) {
        ResultSize size = new ResultSize(store, keyspace, tree, most);
        return BoundedReads.understood("the result of tree " + tree, () -> {
            size.add(List.of(tree), DEPTH);
            boolean known = size.parts <= PARTS;
            return new Trees.Measured(
                    known ? Optional.of(size.bytes) : Optional.empty(),
                    known && size.whole && size.shownBytes <= most
                            ? Optional.of(size.json.toString())
                            : Optional.empty());
        });
    }

    /** Adds the values of nodes, with commas between them. */
    private void add(List<String> ids, int depth) {
        parts += ids.size();
        if (parts > PARTS) {
            return;
        }
        if (depth == 0) {
            throw new IllegalArgumentException("results refer to results more than " + DEPTH + " times");
        }
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(CALL_BYTES)));
        arguments.addAll(ids);
        ScriptReply reply = store.run(
                TaskScripts.RESULTS,
                TaskScripts.RESULTS.keys(TaskScriptKeys.of(keyspace, tree)::key, List.of()),
                arguments.toArray(String[]::new));
        List<ScriptReply.Row> rows = reply.rows("results");
        for (int i = 0; i < ids.size(); i++) {
            ScriptReply.Row row = rows.get(i);
            if (i > 0) {
                add(",");
            }
            add(ids.get(i), row.number("bytes"), row.text("text"), row.text("record"), depth);
        }
    }

    private void add(String id, long size, String text, String record, int depth) {
        if (size > 0 && text.isEmpty()) {
            bytes += size - "J\n".length();
            whole = false;
            return;
        }
        switch (StoredResult.parse(text).orElse(null)) {
            case StoredResult.Value(var value) -> add(value.json(), summary(value.json()));
            case StoredResult.Of(long ordinal) -> add(List.of(TreeIds.node(tree, ordinal)), depth - 1);
            case StoredResult.OfChunks _ -> addChunks(id);
            case StoredResult.OfChildren _ -> addChildren(NodeRecord.parse(record), depth - 1);
            case null, default -> add(NULL);
        }
    }

    /** Adds the results of chunks; if they are too many, their size alone, with a few bytes more. */
    private void addChunks(String id) {
        ChunkResults chunks = ChunkResults.of(store, keyspace, id);
        long size = chunks.bytes();
        if (size > most) {
            bytes += size;
            whole = false;
            return;
        }
        List<String> parts = RawJson.elements(chunks.all(Long.MAX_VALUE));
        add("[");
        for (int i = 0; i < parts.size(); i++) {
            add(i == 0 ? "" : ",");
            add(parts.get(i), summary(parts.get(i)));
        }
        add("]");
    }

    private static String summary(String json) {
        return TaskResult.arrow(json).map(ResultSize::summary).orElse(json);
    }

    private static String summary(byte[] stream) {
        try {
            ArrowStream arrow = ArrowStream.of(stream);
            return "{\"format\":\"Arrow\",\"bytes\":" + stream.length + ",\"rows\":" + arrow.rows() + ",\"schema\":"
                    + TextNode.valueOf(arrow.schema().text()) + "}";
        } catch (IllegalArgumentException broken) {
            return "{\"format\":\"Arrow\",\"bytes\":" + stream.length + "}";
        }
    }

    private void addChildren(NodeRecord node, int depth) {
        add("[");
        for (long from = 0; from < node.count() && parts <= PARTS; from += PAGE) {
            List<String> ids = new ArrayList<>();
            for (long i = from; i < Math.min(node.count(), from + PAGE); i++) {
                ids.add(node.child(tree, i));
            }
            if (from > 0) {
                add(",");
            }
            add(ids, depth);
        }
        add("]");
    }

    private void add(String text) {
        add(text, text);
    }

    private void add(String text, String shown) {
        bytes += Utf8.length(text);
        shownBytes += Utf8.length(shown);
        if (shownBytes <= most) {
            json.append(shown);
        }
    }
}
