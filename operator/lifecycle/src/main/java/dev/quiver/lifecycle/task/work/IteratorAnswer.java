package dev.quiver.lifecycle.task.work;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.execution.JsonFault;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNodeJson;
import dev.quiver.lifecycle.task.rows.StoredResult;
import dev.quiver.lifecycle.task.rows.TreeRows;

/**
 * The answer of an iterator's function in the form that the step's script takes. State, result and arguments keep the
 * words of the function. No I/O.
 *
 * <p>The function answers null when there is no more, or {@code {"result": …}} to leave a result at the end. An empty
 * {@code {}} means not now. With {@code {"state": …, "tasks": […]}} it gives new children, each a node as
 * {@link TreeNodeJson} reads it. A child that is a composite may refer to results of the nodes in it, and to no others.
 */
public final class IteratorAnswer {

    /** Children of one answer at most, whatever room there is. */
    static final int CHILDREN = 500;

    /** Bytes of one answer at most. */
    public static final int BYTES = 64 * 1024;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private IteratorAnswer() {}

    /**
     * The answer for the script.
     *
     * @param pool of children that name none
     * @param room children that may be added now
     * @param recording how the iterator's trials are recorded, and those of its children; absent: they are not
     * @throws IllegalArgumentException naming field and value
     */
    public static String of(TaskResult answer, String pool, int room, Optional<Recording> recording) {
        if (Utf8.length(answer.json()) > BYTES) {
            throw new IllegalArgumentException("the answer of iterate has " + Utf8.length(answer.json())
                    + " bytes, at most " + BYTES + " are allowed");
        }
        JsonNode json = parse(answer.json());
        ObjectNode out = JSON.createObjectNode();
        if (json.isNull()) {
            return out.put("done", true).toString();
        }
        if (!json.isObject()) {
            throw new IllegalArgumentException("the answer of iterate is " + Utf8.firstBytes(answer.json(), 80)
                    + ", null or an object with state and tasks is needed");
        }
        Map<String, String> words = RawJson.fields(answer.json());
        if (words.containsKey("result")) {
            return out.put("done", true)
                    .put("result", StoredResult.text(TaskResult.of(words.get("result"))))
                    .toString();
        }
        if (words.containsKey("state")) {
            out.put("state", "S" + words.get("state"));
        }
        JsonNode tasks =
                words.containsKey("tasks") ? RawJson.tree(words.get("tasks"), Set.of("args")) : json.path("tasks");
        out.set("trees", trees(tasks, pool, room, recording));
        return out.toString();
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the answer of iterate is no JSON: " + JsonFault.message(e), e);
        }
    }

    private static ArrayNode trees(JsonNode tasks, String pool, int room, Optional<Recording> recording) {
        if (!tasks.isMissingNode() && !tasks.isArray()) {
            throw new IllegalArgumentException(
                    "tasks is " + Utf8.firstBytes(tasks.toString(), 80) + ", an array is needed");
        }
        int most = Math.min(room, CHILDREN);
        if (tasks.size() > most) {
            throw new IllegalArgumentException("tasks has " + tasks.size() + " elements, there is room for " + most);
        }
        ArrayNode trees = JSON.createArrayNode();
        TreeNodeJson reader = new TreeNodeJson(pool);
        List<TreeNode> children = new ArrayList<>();
        for (JsonNode task : tasks) {
            String field = "tasks[" + children.size() + "]";
            if (task.path("undo").asBoolean()) {
                throw new IllegalArgumentException(
                        field + ".undo is true: it is of a whole task, and not of an iterator's child");
            }
            children.add(reader.read(field, task));
        }
        for (TreeNode child : children) {
            ArrayNode rows = trees.addArray();
            TreeRows all = TreeRows.of(child).recorded(recording);
            all.rows().forEach(row -> rows.add(row.text()).add(document(all, row)));
        }
        return trees;
    }

    /** The ordinals in it count from the child's own; the scripts add that. */
    private static String document(TreeRows child, TreeRows.Row row) {
        try {
            return child.document(row);
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException(
                    unknown.getMessage() + ": a child of an iterator may name the nodes in it alone; the iterator gets"
                            + " other results by its own args",
                    unknown);
        }
    }
}
