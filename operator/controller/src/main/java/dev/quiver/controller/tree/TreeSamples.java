package dev.quiver.controller.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.JsonText;
import dev.quiver.crds.v1alpha1.TaskError;
import dev.quiver.crds.v1alpha1.TaskNodeStatus;

/**
 * The parts of a status that workers write: as much of them as keeps the resource below 8 KiB, its spec aside. Conditions
 * come first, then the error, the result, and as many rows of the tree as there is room for. Pure.
 *
 * @param error of the Task
 * @param result absent where it is too large
 * @param tree from its first row on
 * @param left bytes that are still free
 */
public record TreeSamples(Optional<TaskError> error, Optional<JsonNode> result, List<TaskNodeStatus> tree, int left) {

    /**
     * The room for all of them. Metadata and managed fields take about 2 KiB of the rest, the other fields of the status
     * 0.7 KiB.
     */
    public static final int BYTES = 5500;

    /** Type, status, reason, time and generation, with their names. */
    private static final int CONDITION_BYTES = 180;

    /** Names of fields, numbers, and a state. */
    private static final int ROW_BYTES = 90;

    private static final int ERROR_BYTES = 80;
    private static final int MESSAGE_BYTES = 512;
    private static final int TRACE_BYTES = 1024;
    private static final int ROW_MESSAGE_BYTES = 256;
    private static final int NAME_BYTES = 128;

    private static final Pattern WORD = Pattern.compile("[A-Z][A-Za-z0-9]{0,63}");

    /**
     * Fits the parts beside these conditions.
     *
     * @param taken bytes of other parts that a run may have or not
     */
    public static TreeSamples beside(
            List<Condition> conditions,
            int taken,
            Optional<TaskError> error,
            Optional<JsonNode> result,
            List<TaskNodeStatus> rows) {
        int left = BYTES
                - taken
                - conditions.stream()
                        .mapToInt(c -> CONDITION_BYTES + JsonText.bytes(c.getMessage()))
                        .sum();
        int forError = Math.max(0, left);
        Optional<TaskError> shown = error.map(it -> cut(it, forError));
        left -= shown.map(TreeSamples::bytes).orElse(0);
        int room = left;
        Optional<JsonNode> small = result.filter(it -> bytes(it) <= room);
        left -= small.map(TreeSamples::bytes).orElse(0);
        List<TaskNodeStatus> tree = new ArrayList<>();
        for (TaskNodeStatus node : rows) {
            TaskNodeStatus cut = cut(node);
            int row = ROW_BYTES + JsonText.bytes(cut.name()) + JsonText.bytes(text(cut.message()));
            if (row > left) {
                break;
            }
            left -= row;
            tree.add(cut);
        }
        return new TreeSamples(shown, small, tree, Math.max(0, left));
    }

    private static int bytes(TaskError error) {
        return ERROR_BYTES
                + JsonText.bytes(error.node())
                + JsonText.bytes(error.reason())
                + JsonText.bytes(text(error.message()))
                + JsonText.bytes(text(error.trace()));
    }

    /** As the API server keeps it, which writes characters that are special in HTML with six bytes. */
    private static int bytes(JsonNode result) {
        String json = result.toString();
        return json.codePoints()
                .map(c -> c == '"' || c == '\\' ? 1 : JsonText.bytes(Character.toString(c)))
                .sum();
    }

    /** The message comes before the trace. */
    private static TaskError cut(TaskError error, int most) {
        String node = JsonText.first(error.node(), NAME_BYTES);
        String reason = WORD.matcher(error.reason()).matches() ? error.reason() : "Error";
        int left = Math.max(0, most - ERROR_BYTES - JsonText.bytes(node) - JsonText.bytes(reason));
        String message = last(text(error.message()), Math.min(left, MESSAGE_BYTES));
        left -= JsonText.bytes(text(message));
        String trace = last(text(error.trace()), Math.min(left, TRACE_BYTES));
        return new TaskError(node, trial(error.trial()), reason, message, trace);
    }

    private static TaskNodeStatus cut(TaskNodeStatus row) {
        return new TaskNodeStatus(
                JsonText.first(row.name(), NAME_BYTES),
                row.state(),
                row.progress(),
                trial(row.trial()),
                last(text(row.message()), ROW_MESSAGE_BYTES));
    }

    private static Integer trial(Integer number) {
        return number == null || number < 1 ? null : Math.min(number, 1000);
    }

    private static String last(String text, int most) {
        String end = JsonText.last(text, most);
        return end.isEmpty() ? null : end;
    }

    private static String text(String text) {
        return text == null ? "" : text;
    }
}
