package dev.quiver.lifecycle.wires.idoit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;

/** Reads the report of a tree of the wire. No I/O. */
final class IdoitReports {

    private IdoitReports() {}

    private record Row(NodeState node, IdoitOptions options, Optional<NodeError> error) {}

    static TreeReport read(ScriptReply reply, int most) {
        List<Row> rows = new ArrayList<>();
        reply.rows("tasks").forEach(task -> rows.add(row(task)));
        Row root = rows.getFirst();
        boolean over = root.node().state().isOver();
        // A tree ends with the error of the node that failed first, which is handed up unchanged. Cancelled is the
        // root.
        Optional<TreeReport.Failure> failure = root.error()
                .map(error -> rows.stream()
                        .filter(row -> row != root
                                && !error.reason().equals(IdoitErrors.CANCELLED)
                                && row.error()
                                        .filter(other -> other.message().equals(error.message()))
                                        .isPresent())
                        .reduce((first, last) -> last)
                        .map(row -> new TreeReport.Failure(
                                row.node().name(), row.error().orElseThrow()))
                        .orElseGet(() -> new TreeReport.Failure(root.node().name(), error)));
        long ended = reply.number("ended_at");
        return TreeReportBuilder.builder()
                .state(new TreeState(
                        root.node().state(),
                        root.node().progress(),
                        root.node().total(),
                        counts(rows),
                        over,
                        root.error()))
                .failure(failure)
                .startedAt(
                        root.options().began().isPresent() && root.node().state() != TreeState.State.WAITING
                                ? Optional.of(Instant.ofEpochMilli(
                                        root.options().began().getAsLong()))
                                : Optional.empty())
                .finishedAt(over && ended > 0 ? Optional.of(Instant.ofEpochMilli(ended)) : Optional.empty())
                .storeTime(Instant.ofEpochMilli(reply.number("now")))
                .nodes(shown(rows, most))
                .queued(List.of())
                .build();
    }

    private static List<NodeState> shown(List<Row> rows, int most) {
        List<NodeState> nodes = new ArrayList<>();
        if (most > 0) {
            nodes.add(rows.getFirst().node());
            rows.stream()
                    .skip(1)
                    .map(Row::node)
                    .sorted(Comparator.comparingInt(IdoitReports::turn))
                    .limit(most - 1L)
                    .forEach(nodes::add);
        }
        return nodes;
    }

    /** Those that failed come first, then those that run. */
    private static int turn(NodeState node) {
        return switch (node.state()) {
            case FAILED -> 0;
            case LOCKED -> 1;
            default -> 2;
        };
    }

    private static Row row(ScriptReply.Row task) {
        String id = task.text("id");
        IdoitOptions options = IdoitOptions.read(task.text("options"));
        String error = task.text("error");
        int retries = (int) whole(task.text("retries"));
        String[] progress = task.text("progress").split("/", 2);
        TreeState.State state = state(task.text("state"), !error.isEmpty());
        Optional<NodeError> why =
                error.isEmpty() ? Optional.empty() : Optional.of(IdoitErrors.read(id, retries + 1, error));
        return new Row(
                new NodeState(
                        id,
                        options.node().orElseGet(() -> text(task.text("name"), id)),
                        state,
                        whole(progress[0]),
                        Math.max(1, whole(progress[1])),
                        state == TreeState.State.WAITING ? 0 : retries + 1,
                        why.map(NodeError::message).orElse("")),
                options,
                why);
    }

    private static TreeState.State state(String json, boolean failed) {
        return switch (text(json, "")) {
            case "idle" -> TreeState.State.IDLE;
            case "startable" -> TreeState.State.STARTABLE;
            case "locked" -> TreeState.State.LOCKED;
            case "restart" -> TreeState.State.RESTART;
            case "finished" -> failed ? TreeState.State.FAILED : TreeState.State.FINISHED;
            default -> TreeState.State.WAITING;
        };
    }

    private static String text(String json, String otherwise) {
        try {
            String value = json.isEmpty() ? null : JsJson.read(json).textValue();
            return value == null ? otherwise : value;
        } catch (IllegalArgumentException senseless) {
            return otherwise;
        }
    }

    private static long whole(String json) {
        try {
            return json.isEmpty() ? 0 : Long.parseLong(json);
        } catch (NumberFormatException senseless) {
            return 0;
        }
    }

    private static TreeState.Counts counts(List<Row> rows) {
        long[] all = new long[TreeState.State.values().length];
        rows.forEach(row -> all[row.node().state().ordinal()]++);
        return new TreeState.Counts(all[0], all[1], all[2], all[3], all[4], all[5], all[6]);
    }
}
