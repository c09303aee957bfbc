package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.Utf8;

/**
 * Nodes as programs write them: an object with exactly one of {@code handler}, {@code command}, {@code chain},
 * {@code group}, {@code forEach}. The nodes below are in it, as an array; forEach has one node. {@code name},
 * {@code pool}, {@code maxTrials}, {@code total}, {@code args}, {@code env}, {@code workingDir},
 * {@code activeDeadlineSeconds}, {@code backoff}, {@code plan}, {@code planSeconds}, {@code window} and
 * {@code onChildError} are as in the resource. So are
 * {@code relPriority}, {@code tags}, {@code fairnessKey} and {@code resources}, which a composite passes on to the nodes below. No I/O.
 */
public final class TreeNodeJson {

    /** Levels of composites at most. */
    public static final int DEPTH = 16;

    private static final Set<String> KINDS = Set.of("handler", "command", "chain", "group", "forEach");
    private static final Set<String> FIELDS = Set.of(
            "handler",
            "command",
            "chain",
            "group",
            "forEach",
            "name",
            "pool",
            "maxTrials",
            "total",
            "args",
            "env",
            "workingDir",
            "activeDeadlineSeconds",
            "backoff",
            "window",
            "onChildError",
            "relPriority",
            "tags",
            "fairnessKey",
            "resources",
            "plan",
            "planSeconds",
            "undo",
            "contingency",
            "complexKey",
            "once");
    private static final Set<String> RANK = Set.of("relPriority", "tags", "fairnessKey", "resources");
    private static final Set<String> BACKOFF = Set.of("initialSeconds", "factor", "maxSeconds", "jitterPercent");
    private static final String RESERVED = "QUIVER_";

    /** As in the resource. */
    private static final Pattern VARIABLE = Pattern.compile("(?!" + RESERVED + ")[A-Za-z_][A-Za-z0-9_]{0,127}");

    private static final int TRIALS = 3;
    private static final int LONGEST_BACKOFF = 604_800;

    private final String pool;

    /** Nodes without a pool of their own run in this one. */
    public TreeNodeJson(String pool) {
        this.pool = pool;
    }

    /**
     * The node of an object.
     *
     * @param field names it in messages
     * @throws IllegalArgumentException naming field and value
     */
    public TreeNode read(String field, JsonNode json) {
        return read(field, json, Rank.NONE);
    }

    /** The same of a node that has from above what its own rank leaves out. */
    public TreeNode read(String field, JsonNode json, Rank above) {
        return read(field, json, 1, above);
    }

    private TreeNode read(String field, JsonNode json, int depth, Rank above) {
        if (!json.isObject()) {
            throw fault(field, json, "an object is needed");
        }
        if (depth > DEPTH) {
            throw new IllegalArgumentException(field + " is deeper than " + DEPTH + " levels");
        }
        json.fieldNames().forEachRemaining(name -> {
            if (!FIELDS.contains(name)) {
                throw new IllegalArgumentException(field + "." + name + " is no field of a task");
            }
        });
        List<String> kinds = KINDS.stream().filter(json::has).sorted().toList();
        if (kinds.size() != 1) {
            throw new IllegalArgumentException(
                    field + " has " + kinds + ", exactly one of handler, command, chain, group and forEach is needed");
        }
        if (depth > 1 && json.path("undo").asBoolean()) {
            throw fault(field + ".undo", json.get("undo"), "it is of a whole task, not of one within another");
        }
        if (json.has("once")) {
            throw fault(field + ".once", json.get("once"), "it is of a whole task, not of one within another");
        }
        boolean isComposite = json.has("chain") || json.has("group");
        for (String word : List.of("plan", "planSeconds", "undo", "contingency", "complexKey")) {
            if (json.has(word) && !json.has("handler") && !(isComposite && word.equals("undo"))) {
                throw fault(field + "." + word, json.get(word), "only a handler has a plan");
            }
        }
        Rank rank = rank(field, json, above);
        TreeNode node = node(field, json, depth, kinds.getFirst(), rank);
        return isComposite && isTrue(field, json, "undo") ? undoable(field, node) : node;
    }

    private static TreeNode undoable(String field, TreeNode composite) {
        try {
            return LeftUndo.undoable(composite);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(field + ": " + wrong.getMessage(), wrong);
        }
    }

    private TreeNode node(String field, JsonNode json, int depth, String kind, Rank rank) {
        return switch (kind) {
            case "chain" ->
                new TreeNode.Chain(
                        children(field + ".chain", json.get("chain"), depth, rank),
                        reaction(field, json),
                        deadline(field, json),
                        named(field, json));
            case "group" ->
                new TreeNode.Group(
                        children(field + ".group", json.get("group"), depth, rank),
                        number(field, json, "window", 0),
                        reaction(field, json),
                        deadline(field, json),
                        named(field, json));
            case "forEach" ->
                new TreeNode.ForEach(
                        read(field + ".forEach", json.get("forEach"), depth + 1, rank),
                        number(field, json, "window", 0),
                        reaction(field, json),
                        deadline(field, json),
                        named(field, json));
            default -> leaf(field, json, rank);
        };
    }

    private static Rank rank(String field, JsonNode json, Rank above) {
        if (RANK.stream().noneMatch(json::has)) {
            return above;
        }
        try {
            return Rank.below(
                    above,
                    json.has("relPriority") ? Optional.of(number(field, json, "relPriority", 0)) : Optional.empty(),
                    names(field, json, "tags"),
                    text(field, json, "fairnessKey"),
                    names(field, json, "resources"));
        } catch (IllegalArgumentException wrong) {
            throw wrong.getMessage().startsWith(field)
                    ? wrong
                    : new IllegalArgumentException(field + ": " + wrong.getMessage(), wrong);
        }
    }

    private static Optional<List<String>> names(String field, JsonNode json, String list) {
        List<String> all = new ArrayList<>();
        array(field + "." + list, json.path(list)).forEach(name -> all.add(text(field + "." + list, name)));
        return json.has(list) ? Optional.of(all) : Optional.empty();
    }

    private TreeNode leaf(String field, JsonNode json, Rank rank) {
        Optional<String> handler = text(field, json, "handler");
        Execution execution = handler.<Execution>map(Execution.Handler::new).orElseGet(() -> command(field, json));
        List<JsonNode> args = new ArrayList<>();
        for (JsonNode argument : array(field + ".args", json.path("args"))) {
            if (handler.isEmpty() && !argument.isTextual()) {
                throw fault(field + ".args", argument, "a string is needed for a command");
            }
            args.add(argument);
        }
        TaskBody body = new TaskBody(
                text(field, json, "name").or(() -> handler).orElse("command"),
                Optional.of(execution),
                args,
                env(field, json.path("env")),
                deadline(field, json),
                backoff(field + ".backoff", json.path("backoff")));
        Optional<Complex> complex = complex(field, json);
        TaskBody asked = unsure(field, json, planned(field, json, body, complex.isPresent()));
        return new TreeNode.Leaf(
                text(field, json, "pool").orElse(pool),
                handler,
                number(field, json, "maxTrials", TRIALS),
                number(field, json, "total", 1),
                complex.map(of -> of.rank(rank)).orElse(rank),
                complex.map(asked::ofComplex).orElse(asked));
    }

    private static Optional<Complex> complex(String field, JsonNode json) {
        Optional<String> key = text(field, json, "complexKey");
        if (key.isEmpty()) {
            return Optional.empty();
        }
        for (String word : List.of("contingency", "resources")) {
            JsonNode said = json.path(word);
            if (said.isArray() ? !said.isEmpty() : said.asBoolean()) {
                throw fault(field + "." + word, said, "with complexKey it is of the markers");
            }
        }
        if (json.has("plan") && !json.get("plan").asBoolean()) {
            throw fault(field + ".plan", json.get("plan"), "with complexKey there is a plan");
        }
        try {
            return Optional.of(Complex.request(text(field, json, "handler").orElse(""), key.get()));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(field + ": " + wrong.getMessage(), wrong);
        }
    }

    private static TaskBody unsure(String field, JsonNode json, TaskBody body) {
        return isTrue(field, json, "contingency") ? body.withContingency() : body;
    }

    private static boolean isTrue(String field, JsonNode json, String word) {
        JsonNode said = json.path(word);
        if (!said.isMissingNode() && !said.isBoolean()) {
            throw fault(field + "." + word, said, "true or false is needed");
        }
        return said.booleanValue();
    }

    private static TaskBody planned(String field, JsonNode json, TaskBody body, boolean always) {
        boolean plan = isTrue(field, json, "plan");
        boolean undo = isTrue(field, json, "undo");
        if (!plan && !always) {
            if (json.has("planSeconds")) {
                throw fault(field + ".planSeconds", json.get("planSeconds"), "it needs plan: true");
            }
            if (undo) {
                throw fault(field + ".undo", json.get("undo"), "it needs plan: true");
            }
            return body;
        }
        int seconds = number(field, json, "planSeconds", TaskBody.PLAN_SECONDS);
        if (seconds < 1 || seconds > TaskBody.MOST_PLAN_SECONDS) {
            throw fault(
                    field + ".planSeconds",
                    json.get("planSeconds"),
                    "1 to " + TaskBody.MOST_PLAN_SECONDS + " is allowed");
        }
        TaskBody planned = body.planned(seconds);
        return undo ? planned.undoable() : planned;
    }

    private static Execution command(String field, JsonNode json) {
        List<String> words = new ArrayList<>();
        array(field + ".command", json.get("command")).forEach(word -> words.add(text(field + ".command", word)));
        return new Execution.Command(words, List.of(), text(field, json, "workingDir"));
    }

    private List<TreeNode> children(String field, JsonNode json, int depth, Rank above) {
        List<TreeNode> children = new ArrayList<>();
        for (JsonNode child : array(field, json)) {
            children.add(read(field + "[" + children.size() + "]", child, depth + 1, above));
        }
        return children;
    }

    private static TaskBody named(String field, JsonNode json) {
        return TaskBody.named(text(field, json, "name").orElse(""));
    }

    private static TreeNode.OnChildError reaction(String field, JsonNode json) {
        return switch (text(field, json, "onChildError").orElse("Fail")) {
            case "Fail" -> TreeNode.OnChildError.FAIL;
            case "Continue" -> TreeNode.OnChildError.CONTINUE;
            default -> throw fault(field + ".onChildError", json.get("onChildError"), "Fail or Continue is allowed");
        };
    }

    private static Optional<Duration> deadline(String field, JsonNode json) {
        if (!json.has("activeDeadlineSeconds")) {
            return Optional.empty();
        }
        int seconds = number(field, json, "activeDeadlineSeconds", 0);
        if (seconds < 1) {
            throw fault(field + ".activeDeadlineSeconds", json.get("activeDeadlineSeconds"), "at least 1 is needed");
        }
        return Optional.of(Duration.ofSeconds(seconds));
    }

    /** Absent: none, for these nodes come from programs, which say what they want. */
    private static RetryBackoff backoff(String field, JsonNode json) {
        if (json.isMissingNode()) {
            return RetryBackoff.NONE;
        }
        if (!json.isObject()) {
            throw fault(field, json, "an object is needed");
        }
        json.fieldNames().forEachRemaining(name -> {
            if (!BACKOFF.contains(name)) {
                throw new IllegalArgumentException(field + "." + name + " is no field of a backoff");
            }
        });
        return new RetryBackoff(
                Duration.ofSeconds(bounded(field, json, "initialSeconds", 60, LONGEST_BACKOFF)),
                bounded(field, json, "factor", 1, 10),
                Duration.ofSeconds(bounded(field, json, "maxSeconds", 3600, LONGEST_BACKOFF)),
                bounded(field, json, "jitterPercent", 0, 100));
    }

    private static int bounded(String field, JsonNode json, String name, int otherwise, int most) {
        int value = number(field, json, name, otherwise);
        int least = name.equals("factor") ? 1 : 0;
        if (value < least || value > most) {
            throw fault(field + "." + name, json.get(name), least + " to " + most + " is allowed");
        }
        return value;
    }

    private static Map<String, String> env(String field, JsonNode json) {
        Map<String, String> env = new LinkedHashMap<>();
        if (!json.isMissingNode() && !json.isObject()) {
            throw fault(field + ".env", json, "an object is needed");
        }
        for (Map.Entry<String, JsonNode> entry : json.properties()) {
            String name = entry.getKey();
            if (!VARIABLE.matcher(name).matches()) {
                throw new IllegalArgumentException(field + ".env has the name \"" + Utf8.firstBytes(name, 80)
                        + "\", letters, digits and _ are needed; " + RESERVED + " is reserved");
            }
            env.put(name, text(field + ".env", entry.getValue()));
        }
        return env;
    }

    private static JsonNode array(String field, JsonNode json) {
        if (!json.isMissingNode() && !json.isArray()) {
            throw fault(field, json, "an array is needed");
        }
        return json;
    }

    private static Optional<String> text(String field, JsonNode json, String name) {
        return json.has(name) ? Optional.of(text(field + "." + name, json.get(name))) : Optional.empty();
    }

    private static String text(String field, JsonNode json) {
        if (!json.isTextual()) {
            throw fault(field, json, "a string is needed");
        }
        return json.textValue();
    }

    private static int number(String field, JsonNode json, String name, int otherwise) {
        JsonNode value = json.path(name);
        if (!value.isMissingNode() && !(value.isIntegralNumber() && value.canConvertToInt())) {
            throw fault(field + "." + name, value, "a whole number is needed");
        }
        return value.asInt(otherwise);
    }

    private static IllegalArgumentException fault(String field, JsonNode value, String need) {
        return new IllegalArgumentException(field + " is " + Utf8.firstBytes(value.toString(), 80) + ", " + need);
    }
}
