package dev.quiver.lifecycle.task.work;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNodeJson;
import dev.quiver.lifecycle.task.rows.StoredResult;
import dev.quiver.lifecycle.task.rows.SubmitCall;

/**
 * Effects in the form that the step's script takes. Tasks that follow are trees of their own with ids of programs; they go
 * when they end. No I/O.
 */
public final class EffectsAnswer {

    /** Bytes of the arguments that a plan gives at most: Redis keeps them, and each claim brings them. */
    public static final int MOST_ARG_BYTES = 64 * 1024;

    /** Bytes of the tasks that would undo one, at most. */
    public static final int MOST_UNDO_BYTES = 16 * 1024;

    /** How long they stay after their end. */
    private static final Duration UNDO_KEPT = Duration.ofHours(1);

    /** Bytes of their documents at most, which say in full what a function may leave out. */
    static final int MOST_DOCUMENT_BYTES = 3 * Effects.MOST_TASK_BYTES;

    /** Tasks of one answer at most. */
    public static final int MOST_TASKS = 64;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final String LIST = "\u001e";

    private EffectsAnswer() {}

    /**
     * The answer for the script.
     *
     * @param leaf that it is of; tasks that name no pool run in its own
     * @param of who answers
     * @throws IllegalArgumentException naming field and value
     */
    public static String of(Effects answer, TaskLeaf leaf, Effects.Of of) {
        Effects checked = answer.checked(of);
        String pool = leaf.pool();
        TaskBody.Undo keptUndo = leaf.undo();
        if (of == Effects.Of.PLAN && !checked.isDone() && leaf.complex().isPresent()) {
            throw new IllegalArgumentException("the plan of a complex task ends its request: the answer needs done");
        }
        ObjectNode out = JSON.createObjectNode();
        if (of == Effects.Of.PLAN && !checked.isDone()) {
            out.set("plan", plan(checked));
        } else if (of != Effects.Of.CONTINGENCY || checked.isDone()) {
            out.put("result", StoredResult.text(TaskResult.of(checked.result().orElse("null"))));
        }
        ComplexAnswer.of(checked, leaf.complex(), pool).ifPresent(changes -> out.set("complex", changes));
        String tasks = checked.fields().get("tasks");
        if (tasks != null) {
            out.set("trees", trees("tasks", tasks, pool, Effects.MOST_TASK_BYTES, Duration.ZERO));
        }
        String before = checked.fields().get("before");
        if (before != null) {
            out.set("before", trees("before", before, pool, Effects.MOST_TASK_BYTES, Duration.ZERO));
        }
        String undo = checked.fields().get("undo");
        if (undo != null && keptUndo == TaskBody.Undo.AS_TREES) {
            out.set("undo", trees("undo", undo, pool, MOST_UNDO_BYTES, UNDO_KEPT));
        } else if (undo != null && keptUndo == TaskBody.Undo.AS_ONE_TREE) {
            JsonNode left = list("undo", undo, MOST_UNDO_BYTES);
            checkTrees(LeftUndo.nodes("undo", left, pool, Rank.NONE));
            if (!left.isEmpty()) {
                out.put("left", undo);
            }
        }
        return out.toString();
    }

    /** So that a tree can be made of them later: whoever undoes the task could not mend them. */
    private static void checkTrees(List<TreeNode> roots) {
        List<TaskTree> trees = roots.stream()
                .map(root -> tree(TreeIds.fresh(), root, Duration.ZERO))
                .toList();
        SubmitCall.together(trees, MOST_DOCUMENT_BYTES);
    }

    private static TaskTree tree(String id, TreeNode root, Duration keep) {
        return new TaskTree(id, root, Optional.empty(), false, Optional.empty(), Duration.ZERO, Optional.of(keep));
    }

    private static JsonNode list(String list, String words, int most) {
        if (Utf8.length(words) > most) {
            throw new IllegalArgumentException(
                    list + " has " + Utf8.length(words) + " bytes, at most " + most + " are allowed");
        }
        JsonNode tasks = RawJson.tree(words, Set.of("args"));
        if (!tasks.isArray()) {
            throw new IllegalArgumentException(list + " is " + Utf8.firstBytes(words, 80) + ", an array is needed");
        }
        if (tasks.size() > MOST_TASKS) {
            throw new IllegalArgumentException(
                    list + " has " + tasks.size() + " elements, at most " + MOST_TASKS + " are allowed");
        }
        return tasks;
    }

    private static ArrayNode trees(String list, String words, String pool, int most, Duration keep) {
        JsonNode tasks = list(list, words, most);
        TreeNodeJson reader = new TreeNodeJson(pool);
        List<TaskTree> trees = new ArrayList<>();
        for (JsonNode task : tasks) {
            String field = list + "[" + trees.size() + "]";
            Optional<OnceName> name = task instanceof ObjectNode whole && whole.has("once")
                    ? Optional.of(OnceName.read(field + ".once", whole.remove("once")))
                    : Optional.empty();
            trees.add(tree(TreeIds.fresh(), reader.read(field, task), keep).named(name));
        }
        ArrayNode rows = JSON.createArrayNode();
        SubmitCall.together(trees, MOST_DOCUMENT_BYTES).forEach(rows::add);
        return rows;
    }

    private static ObjectNode plan(Effects answer) {
        ObjectNode plan = JSON.createObjectNode();
        Rank rank = new Rank(
                number(answer),
                names(answer, "tags"),
                Optional.ofNullable(answer.fields().get("fairnessKey")).map(words -> text("fairnessKey", words)),
                names(answer, "resources"));
        if (answer.fields().containsKey("relPriority")) {
            plan.put("priority", rank.relPriority());
        }
        if (answer.fields().containsKey("tags")) {
            plan.put("tags", String.join(LIST, rank.tags()));
        }
        if (answer.fields().containsKey("resources")) {
            plan.put("resources", String.join(LIST, rank.resources()));
        }
        rank.fairnessKey().ifPresent(key -> plan.put("share", key));
        String args = answer.fields().get("args");
        if (args != null) {
            if (Utf8.length(args) > MOST_ARG_BYTES) {
                throw new IllegalArgumentException(
                        "args has " + Utf8.length(args) + " bytes, at most " + MOST_ARG_BYTES + " are allowed");
            }
            RawJson.elements("args", args);
            plan.put("args", args);
        }
        return plan;
    }

    private static int number(Effects answer) {
        String words = answer.fields().get("relPriority");
        JsonNode value = words == null ? null : RawJson.tree(words, Set.of());
        if (value != null && !(value.isIntegralNumber() && value.canConvertToInt())) {
            throw new IllegalArgumentException(
                    "relPriority is " + Utf8.firstBytes(words, 80) + ", a whole number is needed");
        }
        return value == null ? 0 : value.intValue();
    }

    private static List<String> names(Effects answer, String field) {
        String words = answer.fields().get(field);
        if (words == null) {
            return List.of();
        }
        return RawJson.elements(field, words).stream()
                .map(word -> text(field, word))
                .toList();
    }

    private static String text(String field, String words) {
        return RawJson.text(RawJson.node(words))
                .orElseThrow(() -> new IllegalArgumentException(
                        field + " has " + Utf8.firstBytes(words, 80) + ", a string is needed"));
    }
}
