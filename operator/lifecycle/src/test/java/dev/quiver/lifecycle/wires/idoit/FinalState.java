package dev.quiver.lifecycle.wires.idoit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.redis.RedisStore;

/**
 * All that a keyspace of the wire has at the end, so that it can be compared with another one. It is without ids, uids,
 * times, random parts, stacks, and Quiver's additions. Facts that depend on the order of events that have none are left
 * out, too.
 */
final class FinalState {

    private static final List<String> LEFT_OUT = List.of(
            "id",
            "uid",
            "pool",
            "parent",
            "parent_uid",
            "parent_pool",
            "children",
            "quiver",
            "quiver_lock", // npm ends a task with these
            "quiver_tries",
            "quiver_lost",
            "quiver_children");
    /** The message of a function in Python, which ends as the error does. */
    private static final Pattern TRACEBACK = Pattern.compile("(?s)Traceback .*\\.(\\w+): ([^\\n]*)\\s*");

    private static final Pattern TASK_ID = Pattern.compile("task ID: [^)]*");

    private final Map<String, Map<String, String>> tasks = new TreeMap<>();
    private final List<String> otherKeys = new ArrayList<>();

    FinalState(IdoitWorld world) {
        this(world.store, world.prefix);
    }

    FinalState(RedisStore store, String prefix) {
        for (String key :
                store.ask(redis -> redis.keys(prefix + "*")).stream().sorted().toList()) {
            String name = key.substring(prefix.length());
            if (store.ask(redis -> redis.type(key)).equals("hash")) {
                tasks.put(name, store.ask(redis -> redis.hgetall(key)));
            } else {
                otherKeys.add(name);
            }
        }
    }

    /** The keys that are no task. */
    List<String> otherKeys() {
        return otherKeys;
    }

    /** A tree with all that belongs to it, a line a task. */
    String of(String root) {
        StringBuilder text = new StringBuilder();
        append(root, "", text);
        return text.toString();
    }

    /**
     * The same where a failure may have come before or after the end of other tasks. For a tree that failed by itself the
     * error counts, and that all is over.
     */
    String outcome(String root) {
        String whole = of(root);
        boolean failed = tasks.get(root).containsKey("error")
                && !tasks.get(root).get("error").contains("CANCELED");
        return failed
                ? whole.lines().findFirst().orElseThrow() + "\n"
                        + whole.lines()
                                .skip(1)
                                .filter(line -> !line.contains("state=\"finished\""))
                                .collect(Collectors.joining("\n"))
                : whole;
    }

    private void append(String id, String indent, StringBuilder text) {
        Map<String, String> task = tasks.get(id);
        text.append(indent).append(task == null ? "gone" : shown(task)).append('\n');
        if (task == null) {
            return;
        }
        List<String> children = new ArrayList<>();
        if (task.containsKey("children")) {
            JsJson.read(task.get("children")).forEach(child -> children.add(child.textValue()));
        } else {
            tasks.forEach((child, fields) -> {
                if (JsJson.quoted(id).equals(fields.get("parent"))) {
                    children.add(child);
                }
            });
            children.sort(Comparator.comparing(child -> tasks.get(child).get("args")));
        }
        children.forEach(child -> append(child, indent + "  ", text));
    }

    private static String shown(Map<String, String> task) {
        StringBuilder text = new StringBuilder();
        boolean failed = task.containsKey("error");
        for (String field : new TreeSet<>(task.keySet())) {
            boolean composite = task.containsKey("children") || task.containsKey("children_created");
            // How far a tree was when it failed depends on which of two commands came first.
            boolean raced = failed
                    && composite
                    && List.of("progress", "children_finished").contains(field);
            if (!LEFT_OUT.contains(field) && !raced) {
                text.append(field).append('=').append(field.equals("error") ? error(task.get(field)) : task.get(field));
                text.append(' ');
            }
        }
        return text.toString();
    }

    private static String error(String json) {
        JsonNode error = JsJson.read(json);
        Matcher python = TRACEBACK.matcher(error.path("message").asText());
        if (python.matches()) {
            return python.group(1) + ": " + python.group(2) + " ";
        }
        Matcher message = TASK_ID.matcher(error.path("message").asText());
        return error.path("name").asText() + ": " + message.replaceAll("task ID") + " "
                + error.path("code").asText();
    }
}
