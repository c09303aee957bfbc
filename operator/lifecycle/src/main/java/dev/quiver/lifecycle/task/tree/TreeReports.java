package dev.quiver.lifecycle.task.tree;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.results.ChunkResults;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.rows.RootFacts;

/** Reads trees for people, each in one call whose answer is bounded. Thread-safe. */
record TreeReports(RedisStore store, Keyspace keyspace) {

    /** Ordinals that are looked at. */
    private static final int LOOK = 1000;

    private static final String DOUBT = "in doubt whether it was done, its contingency is asked";

    /** Bytes of the last line of what left a doubt. */
    private static final int DOUBT_BYTES = 100;

    private static final Pattern REASON = Pattern.compile("[A-Za-z0-9]{1,64}");

    private static final JsonMapper JSON = new JsonMapper();

    /** One node as the script gives it. */
    private record Row(String id, NodeRecord record, String name, Optional<TreeReport.Failure> failure, String note) {

        NodeState state() {
            return new NodeState(
                    id,
                    name,
                    record.state(),
                    record.progress(),
                    record.total(),
                    record.shownTrial(),
                    failure.map(TreeReport.Failure::error)
                            .map(NodeError::message)
                            .orElse(""),
                    note);
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
                        node.id(), node.name(), node.state(), done.ended(), done.all(), node.trial(), node.message()))
                .or(() -> chunks.refusal().map(words -> waiting(node, words)))
                .orElse(node);
    }

    private static NodeState waiting(NodeState node, String words) {
        return new NodeState(node.id(), node.name(), node.state(), node.progress(), node.total(), node.trial(), words);
    }

    private TreeReport read(ScriptReply reply, int most) {
        RootFacts facts = RootFacts.parse(reply.text("facts"));
        List<ScriptReply.Row> rows = reply.rows("nodes");
        Row root = row(rows.getFirst());
        Optional<Row> end = reply.flag("at_end") ? Optional.of(row(rows.get(1))) : Optional.empty();
        List<NodeState> nodes = new ArrayList<>();
        if (most > 0) {
            nodes.add(state(root));
        }
        for (ScriptReply.Row shown : rows.subList(end.isPresent() ? 2 : 1, rows.size())) {
            nodes.add(state(row(shown)));
        }
        TreeState.State state = root.record().state();
        boolean endOver = end.map(Row::record)
                .map(NodeRecord::state)
                .map(TreeState.State::isOver)
                .orElse(true);
        return TreeReportBuilder.builder()
                .state(new TreeState(
                        state,
                        root.record().progress(),
                        root.record().total(),
                        facts.counts(),
                        state.isOver() && endOver,
                        root.failure().map(TreeReport.Failure::error)))
                .suspended(
                        state.isOver()
                                ? end.map(Row::record)
                                        .map(NodeRecord::isSuspended)
                                        .orElse(false)
                                : root.record().isSuspended())
                .failure(root.failure())
                .endFailure(end.flatMap(Row::failure))
                .startedAt(facts.began())
                .finishedAt(facts.ended())
                .storeTime(Instant.ofEpochMilli(reply.number("now")))
                .nodes(nodes)
                .queued(reply.rows("queued").stream().map(TreeReports::queued).toList())
                .memoryRefusal(TreeReport.memoryRefusal(nodes).or(() -> refusal(reply.texts("feeding"))))
                .build();
    }

    /** The first refusal of a node whose chunks come or wait. */
    private Optional<String> refusal(List<String> fed) {
        return fed.stream()
                .map(id -> ChunkResults.of(store, keyspace, id).refusal())
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static TreeReport.Queued queued(ScriptReply.Row row) {
        return new TreeReport.Queued(
                name("", row.text("name")),
                row.text("pool"),
                Optional.of(row.text("function")).filter(handler -> !handler.isEmpty()));
    }

    private static Row row(ScriptReply.Row row) {
        String id = row.text("id");
        NodeRecord record = NodeRecord.parse(row.text("record"));
        String name = name(id, row.text("name"));
        String failed = row.text("failed");
        String text = row.text("error");
        Optional<TreeReport.Failure> failure = text.startsWith("E")
                ? Optional.of(new TreeReport.Failure(
                        failed.equals(id) ? name : name(failed, row.text("failed_name")),
                        NodeError.read(failed, text.substring(1))))
                : Optional.empty();
        String note = text.startsWith("D") ? DOUBT + why(id, text.substring(1)) : waiting(record.waits());
        return new Row(id, record, name, failure, note);
    }

    private static String waiting(int tasks) {
        return tasks == 0
                ? ""
                : "waits for " + tasks + (tasks == 1 ? " task" : " tasks") + " that its plan put before it";
    }

    /**
     * Behind a semicolon what left the doubt, so short that its first words stay where a status cuts texts; nothing where it
     * cannot be read.
     */
    private static String why(String id, String json) {
        try {
            NodeError error = NodeError.read(id, json);
            String reason = REASON.matcher(error.reason()).matches() ? error.reason() : "Error";
            String last = error.message().strip();
            last = Utf8.firstBytes(last.substring(last.lastIndexOf('\n') + 1), DOUBT_BYTES);
            return "; " + reason + ": " + last;
        } catch (IllegalStateException unreadable) {
            return "";
        }
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
