package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;

/**
 * A tree that either side can create.
 *
 * @param type of npm.js
 * @param args JSON texts; of a task
 * @param children of a chain or group
 */
public record Spec(String type, String pool, List<String> args, List<Spec> children) {

    static Spec task(String type, String pool, Object... args) {
        return new Spec(type, pool, Arrays.stream(args).map(Object::toString).toList(), List.of());
    }

    static Spec chain(String pool, Spec... children) {
        return new Spec("chain", pool, List.of(), List.of(children));
    }

    static Spec group(String pool, Spec... children) {
        return new Spec("group", pool, List.of(), List.of(children));
    }

    JsonNode json() {
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("type", type).put("pool", pool);
        if (children.isEmpty()) {
            ArrayNode all = json.putArray("args");
            args.forEach(arg -> all.add(JsJson.read(arg)));
        } else {
            ArrayNode all = json.putArray("children");
            children.forEach(child -> all.add(child.json()));
        }
        return json;
    }

    /** The same for Quiver's producer; composites are of its own pool. */
    public TreeNode node() {
        return switch (type) {
            case "chain" ->
                new TreeNode.Chain(
                        children.stream().map(Spec::node).toList(),
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named(type));
            case "group" ->
                new TreeNode.Group(
                        children.stream().map(Spec::node).toList(),
                        0,
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named(type));
            case "walk" ->
                new TreeNode.IteratorNode(
                        pool, Optional.of(type), 2, 1000, TreeNode.OnChildError.FAIL, Optional.empty(), body());
            default -> new TreeNode.Leaf(pool, Optional.of(type), 2, type.equals("steps") ? 3 : 1, body());
        };
    }

    private TaskBody body() {
        return new TaskBody(
                type,
                Optional.of(new Execution.Handler(type)),
                args.stream().map(JsJson::read).toList(),
                Map.of(),
                Optional.empty(),
                new RetryBackoff(Duration.ofMillis(20), 1, Duration.ofMillis(20), 0));
    }
}
