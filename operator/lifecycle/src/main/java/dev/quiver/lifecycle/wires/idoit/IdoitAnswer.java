package dev.quiver.lifecycle.wires.idoit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNodeJson;

/**
 * The answer of an iterator's function in the form that the step's script takes. No I/O.
 *
 * @param data as the script takes it; may be empty
 */
record IdoitAnswer(Kind kind, String data) {

    /** The kind of a function's answer; {@code iterate.lua} has the same. */
    enum Kind {
        /** There are no more children. */
        NO_MORE("n"),
        /** There is none now. */
        NOTHING_NOW("e"),
        /** Here are new ones. */
        CHILDREN("t"),
        /** The answer makes no sense. */
        SENSELESS("b");

        private final String letter;

        Kind(String letter) {
            this.letter = letter;
        }

        /** As the script takes it in the place of a settlement's kind. */
        String letter() {
            return letter;
        }
    }

    private static final int CHILDREN = 500;

    /**
     * Reads an answer, as the own dialect has it. The wire keeps no result of an iterator, so an answer with one is the
     * same as none.
     *
     * @param pool of children without one
     */
    static IdoitAnswer of(IdoitTask task, Optional<TaskResult> answer, String pool) {
        try {
            JsonNode json = JsJson.read(answer.map(TaskResult::json).orElse("null"));
            if (json.isNull() || json.isObject() && json.has("result")) {
                return new IdoitAnswer(Kind.NO_MORE, "");
            }
            if (json.isObject() && json.isEmpty()) {
                return new IdoitAnswer(Kind.NOTHING_NOW, "");
            }
            return children(task, json, pool);
        } catch (IllegalArgumentException senseless) {
            return bad(task, senseless.getMessage());
        }
    }

    private static IdoitAnswer children(IdoitTask task, JsonNode json, String pool) {
        JsonNode tasks = json.path("tasks");
        String state = json.has("state") ? JsJson.write(json.get("state")) : task.state();
        if (!tasks.isArray() || tasks.isEmpty() || state.equals(task.state())) {
            return bad(task, "state has to change, and tasks to be an array with at least one task");
        }
        int most = Math.min(task.room(), CHILDREN);
        if (tasks.size() > most) {
            return bad(task, "tasks has " + tasks.size() + " elements, there is room for " + most);
        }
        IdoitRows.Parent parent = new IdoitRows.Parent(task.key(), task.uid(), pool);
        TreeNodeJson reader = new TreeNodeJson(pool);
        List<TreeNode> nodes = new ArrayList<>();
        tasks.forEach(child -> nodes.add(reader.read("tasks[" + nodes.size() + "]", child)));
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        out.put("was", task.data()).put("now", "{\"state\":" + state + "}");
        ArrayNode tops = out.putArray("tops");
        ArrayNode all = out.putArray("tasks");
        for (TreeNode node : nodes) {
            String id = TreeIds.fresh();
            tops.add(id);
            IdoitRows.of(id, node, pool, Optional.of(parent), IdoitRows.KEEP, OptionalLong.empty())
                    .all()
                    .forEach(row -> {
                        ObjectNode child = all.addObject().put("key", row.key());
                        ArrayNode fields = child.putArray("fields");
                        row.fields().forEach(fields::add);
                    });
        }
        return new IdoitAnswer(Kind.CHILDREN, out.toString());
    }

    /** In the words of idoit, and then why. */
    private static IdoitAnswer bad(IdoitTask task, String why) {
        return new IdoitAnswer(
                Kind.SENSELESS,
                IdoitErrors.of(
                        "QueueError",
                        "Error: Iterator error: terminating task because bad \"iterate\" result (task: "
                                + task.type().name() + ", state: idle, task ID: " + task.key() + "): " + why));
    }
}
