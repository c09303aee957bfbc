package dev.quiver.lifecycle.task.work;

import java.time.Duration;
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

import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNodeJson;
import dev.quiver.lifecycle.task.rows.SubmitCall;

/**
 * The changes that the answer of a complex task brings, in the form that the step's script takes. {@code state} is a list of
 * operations: {@code {"set": field, "value": …}}, {@code {"delete": field}} or {@code {"add": field, "value": number}},
 * each with {@code expect} where the field must have that value, null for none. {@code markers} has names of markers: an
 * object that says what a leaf executes, or null to withdraw one. No I/O.
 */
final class ComplexAnswer {

    /** Operations of one answer at most. */
    static final int MOST_OPERATIONS = 1024;

    /** Leaves of the markers of one answer at most. */
    static final int MOST_LEAVES = 64;

    private static final String STATE = "state";
    private static final String MARKERS = "markers";

    /** Fields of a marker that are none of a node. */
    private static final String COUNT = "count";

    private static final String PARALLEL = "parallel";

    private static final Set<String> OF_MARKER = Set.of(
            COUNT,
            PARALLEL,
            "args",
            "relPriority",
            "tags",
            "resources",
            "fairnessKey",
            "maxTrials",
            "backoff",
            "activeDeadlineSeconds",
            "contingency",
            "name");

    /** Equal values have equal words: operations compare them. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
            .build();

    private ComplexAnswer() {}

    /**
     * The changes; absent where there are none.
     *
     * @param of the complex task of the leaf that answers
     * @param pool of that leaf, and of those that are made
     * @throws IllegalArgumentException naming field and value; for changes of a task that is no complex one
     */
    static Optional<ObjectNode> of(Effects answer, Optional<Complex> of, String pool) {
        Map<String, String> fields = answer.fields();
        if (!fields.containsKey(STATE) && !fields.containsKey(MARKERS)) {
            return Optional.empty();
        }
        Complex complex =
                of.orElseThrow(() -> new IllegalArgumentException((fields.containsKey(STATE) ? STATE : MARKERS)
                        + " is of a complex task, and this one has no complexKey"));
        int bytes = Utf8.length(fields.getOrDefault(STATE, "")) + Utf8.length(fields.getOrDefault(MARKERS, ""));
        if (bytes > Effects.MOST_TASK_BYTES) {
            throw new IllegalArgumentException(
                    "state and markers have " + bytes + " bytes, at most " + Effects.MOST_TASK_BYTES + " are allowed");
        }
        ObjectNode part = JSON.createObjectNode().put("of", complex.name(pool));
        part.set("operations", operations(fields.getOrDefault(STATE, "[]")));
        List<TaskTree> trees = new ArrayList<>();
        part.set(MARKERS, markers(fields.getOrDefault(MARKERS, "{}"), complex, pool, trees));
        ArrayNode rows = part.putArray("trees");
        SubmitCall.together(trees, EffectsAnswer.MOST_DOCUMENT_BYTES).forEach(rows::add);
        return Optional.of(part);
    }

    private static ArrayNode operations(String words) {
        ArrayNode all = JSON.createArrayNode();
        List<String> each = RawJson.elements(STATE, words);
        if (each.size() > MOST_OPERATIONS) {
            throw new IllegalArgumentException(
                    STATE + " has " + each.size() + " operations, at most " + MOST_OPERATIONS + " are allowed");
        }
        for (String operation : each) {
            all.add(operation(STATE + "[" + all.size() + "]", RawJson.fields(operation)));
        }
        return all;
    }

    private static ArrayNode operation(String field, Map<String, String> words) {
        List<String> kinds = List.of("set", "delete", "add").stream()
                .filter(words::containsKey)
                .toList();
        boolean hasValue = words.containsKey("value");
        if (kinds.size() != 1 || hasValue == kinds.getFirst().equals("delete")) {
            throw new IllegalArgumentException(
                    field + " has " + words.keySet() + ", set or add with a value, or delete without one, is needed");
        }
        String kind = kinds.getFirst();
        words.keySet().stream()
                .filter(name -> !Set.of(kind, "value", "expect").contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException(
                            field + "." + Utf8.firstBytes(name, 80) + " is no field of an operation");
                });
        String name = RawJson.text(RawJson.node(words.get(kind))).orElse("");
        ArrayNode row = JSON.createArrayNode()
                .add(kind.substring(0, 1))
                .add(Rank.checkName(field, name))
                .add(hasValue ? canonical(words.get("value")) : "");
        if (kind.equals("add") && !parsed(words.get("value")).isNumber()) {
            throw new IllegalArgumentException(
                    field + ".value is " + Utf8.firstBytes(words.get("value"), 80) + ", a number is needed");
        }
        if (words.containsKey("expect")) {
            row.add(canonical(words.get("expect")));
        }
        return row;
    }

    private static ArrayNode markers(String words, Complex of, String pool, List<TaskTree> trees) {
        if (!words.stripLeading().startsWith("{")) {
            throw new IllegalArgumentException(
                    MARKERS + " is " + Utf8.firstBytes(words, 80) + ", an object is needed: names to markers");
        }
        ArrayNode all = JSON.createArrayNode();
        RawJson.fields(words).forEach((name, marker) -> {
            String field = MARKERS + "." + Rank.checkName(MARKERS, name);
            ArrayNode row = all.addArray().add(name);
            if (marker.equals("null")) {
                row.add(false);
                return;
            }
            row.add(canonical(marker));
            TreeNode.Leaf leaf = leaf(field, parsed(marker), of.of(name), pool);
            for (int left = count(field, parsed(marker)); left > 0; left--) {
                String id = TreeIds.fresh();
                row.add(id);
                trees.add(new TaskTree(
                        id,
                        leaf,
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.of(Duration.ZERO)));
            }
        });
        if (all.size() > MOST_LEAVES || trees.size() > MOST_LEAVES) {
            throw new IllegalArgumentException(MARKERS + " has " + all.size() + " names and " + trees.size()
                    + " tasks of them, at most " + MOST_LEAVES + " are allowed");
        }
        return all;
    }

    private static int count(String field, JsonNode marker) {
        JsonNode count = marker.path(COUNT);
        if (!count.isMissingNode() && (!count.isInt() || count.intValue() < 1 || count.intValue() > MOST_LEAVES)) {
            throw new IllegalArgumentException(field + "." + COUNT + " is " + Utf8.firstBytes(count.toString(), 80)
                    + ", 1 to " + MOST_LEAVES + " is allowed");
        }
        return count.asInt(1);
    }

    /** The task of a marker: its resources, and the one by which it takes turns, unless it is parallel. */
    private static TreeNode.Leaf leaf(String field, JsonNode marker, Complex of, String pool) {
        if (!(marker instanceof ObjectNode words)) {
            throw new IllegalArgumentException(
                    field + " is " + Utf8.firstBytes(marker.toString(), 80) + ", an object or null is needed");
        }
        words.fieldNames().forEachRemaining(name -> {
            if (!OF_MARKER.contains(name)) {
                throw new IllegalArgumentException(
                        field + "." + Utf8.firstBytes(name, 80) + " is no field of a marker");
            }
        });
        JsonNode parallel = words.path(PARALLEL);
        if (!parallel.isMissingNode() && !parallel.isBoolean()) {
            throw new IllegalArgumentException(field + "." + PARALLEL + " is "
                    + Utf8.firstBytes(parallel.toString(), 80) + ", true or false is needed");
        }
        ObjectNode node = words.deepCopy();
        node.remove(List.of(COUNT, PARALLEL));
        TreeNode.Leaf leaf = (TreeNode.Leaf) new TreeNodeJson(pool).read(field, node.put("handler", of.handler()));
        List<String> resources = new ArrayList<>(leaf.rank().resources());
        if (!parallel.booleanValue()) {
            resources.add(of.resource());
        }
        return new TreeNode.Leaf(
                pool,
                leaf.handler(),
                leaf.maxTrials(),
                leaf.total(),
                leaf.rank().withResources(resources),
                leaf.body().ofComplex(of));
    }

    private static JsonNode parsed(String words) {
        return RawJson.tree(words, Set.of("args"));
    }

    private static String canonical(String words) {
        try {
            return RawJson.encodable(JSON.writeValueAsString(JSON.readTree(words)));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a value is no JSON: " + e.getOriginalMessage(), e);
        }
    }
}
