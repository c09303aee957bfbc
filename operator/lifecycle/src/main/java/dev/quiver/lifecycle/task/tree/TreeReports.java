package dev.quiver.lifecycle.task.tree;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskError;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.results.ChunkResults;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.rows.RootFacts;

/** Reads trees for people, each in one call whose answer is bounded. Thread-safe. */
record TreeReports(RedisStore store, Keyspace keyspace) {

    /** Ordinals that are looked at. */
    private static final int LOOK = 1000;

    /** Values before what is queued. */
    private static final int HEAD = 6;

    private static final int FIELDS = 6;

    private static final JsonMapper JSON = new JsonMapper();

    /** One node as the script gives it. */
    private record Row(String id, NodeRecord record, String name, Optional<TreeReport.Failure> failure) {

        NodeState state() {
            return new NodeState(
                    id,
                    name,
                    record.state(),
                    record.progress(),
                    record.total(),
                    record.attempt(),
                    failure.map(TreeReport.Failure::error)
                            .map(TaskError::message)
                            .orElse(""));
        }
    }

    /**
     * A tree.
     *
     * @param most nodes that are shown, the root included
     * @return absent for one that is not there, or that never began
     */
    Optional<TreeReport> of(String tree, int most) {
        TaskScriptKeys keys = TaskScriptKeys.of(keyspace, tree);
        ScriptReply reply = store.run(
                TaskScripts.REPORT,
                TaskScripts.REPORT.keys(keys::key, List.of()),
                tree,
                Integer.toString(LOOK),
                Integer.toString(Math.max(0, most - 1)));
        return reply.code() == ScriptCode.GONE
                ? Optional.empty()
                : Optional.of(BoundedReads.understood("tree " + tree, () -> read(reply, most)));
    }

    /** The progress of chunks counts those that ended; before they begin it is that of their node. */
    private NodeState state(Row row) {
        NodeState node = row.state();
        if (row.record().kind() != 'K') {
            return node;
        }
        ChunkResults chunks = ChunkResults.of(store, keyspace, row.id());
        return chunks.progress()
                .map(done -> new NodeState(
                        node.id(), node.name(), node.state(), done.ended(), done.all(), node.attempt(), node.message()))
                .or(() -> chunks.refusal().map(words -> waiting(node, words)))
                .orElse(node);
    }

    private static NodeState waiting(NodeState node, String words) {
        return new NodeState(
                node.id(), node.name(), node.state(), node.progress(), node.total(), node.attempt(), words);
    }

    private TreeReport read(ScriptReply reply, int most) {
        RootFacts facts = RootFacts.parse(reply.text(2));
        int queued = Math.toIntExact(reply.number(4));
        int fed = Math.toIntExact(reply.number(5));
        int first = HEAD + 3 * queued + fed;
        Row root = row(reply, first);
        Optional<Row> end = reply.number(3) == 1 ? Optional.of(row(reply, first + FIELDS)) : Optional.empty();
        List<NodeState> nodes = new ArrayList<>();
        if (most > 0) {
            nodes.add(state(root));
        }
        for (int at = first + FIELDS * (end.isPresent() ? 2 : 1); at < reply.size(); at += FIELDS) {
            nodes.add(state(row(reply, at)));
        }
        TreeState.State state = root.record().state();
        boolean endOver = end.map(Row::record)
                .map(NodeRecord::state)
                .map(TreeState.State::isOver)
                .orElse(true);
        return new TreeReport(
                new TreeState(
                        state,
                        root.record().progress(),
                        root.record().total(),
                        facts.counts(),
                        state.isOver() && endOver,
                        root.failure().map(TreeReport.Failure::error)),
                state.isOver()
                        ? end.map(Row::record).map(NodeRecord::isSuspended).orElse(false)
                        : root.record().isSuspended(),
                root.failure(),
                end.flatMap(Row::failure),
                facts.began(),
                facts.ended(),
                Instant.ofEpochMilli(reply.number(1)),
                nodes,
                IntStream.range(0, queued)
                        .mapToObj(i -> queued(reply, HEAD + 3 * i))
                        .toList(),
                TreeReport.memoryRefusal(nodes).or(() -> refusal(reply, first - fed, fed)));
    }

    /** The first refusal of a node whose chunks come or wait. */
    private Optional<String> refusal(ScriptReply reply, int at, int fed) {
        return IntStream.range(at, at + fed)
                .mapToObj(i -> ChunkResults.of(store, keyspace, reply.text(i)).refusal())
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static TreeReport.Queued queued(ScriptReply reply, int at) {
        return new TreeReport.Queued(
                name("", reply.text(at)),
                reply.text(at + 1),
                Optional.of(reply.text(at + 2)).filter(handler -> !handler.isEmpty()));
    }

    private static Row row(ScriptReply reply, int at) {
        String id = reply.text(at);
        NodeRecord record = NodeRecord.parse(reply.text(at + 1));
        String name = name(id, reply.text(at + 2));
        String failed = reply.text(at + 3);
        String text = reply.text(at + 5);
        Optional<TreeReport.Failure> failure = text.startsWith("E")
                ? Optional.of(new TreeReport.Failure(
                        failed.equals(id) ? name : name(failed, reply.text(at + 4)),
                        TaskError.read(failed, text.substring(1))))
                : Optional.empty();
        return new Row(id, record, name, failure);
    }

    private static String name(String id, String json) {
        try {
            String name = json.isEmpty() ? "" : JSON.readTree(json).textValue();
            return name == null || name.isEmpty() ? id : name;
        } catch (JsonProcessingException unreadable) {
            return id;
        }
    }
}
