package dev.quiver.crds.schema;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Adds to a generated schema what the generator cannot know from types and annotations. */
record SchemaFinishing(String kind) {
    private static final Map<String, String> ROOTS = Map.of(
            "WorkerPool", "Warm worker pods, each with a number of slots that run one task at a time.",
            "TaskSet", "A set of independent tasks, each run as trials until it passes or its trials are spent.",
            "Task", "One unit of work, or a tree of nodes, run once or by a schedule.",
            "MapReduceJob", "Chunks of work, a function for each of them, and one for their results, in order.");

    /** Changes the schema of the whole resource in place. */
    void finish(ObjectNode root) {
        root.put("description", ROOTS.get(kind));
        root.putArray("required").add("spec");
        property(root, "spec").put("description", "What is wanted; the operator works towards it.");
        property(root, "status").put("description", "What is, as the operator last saw it.");
        conditions((ObjectNode) root.at("/properties/status/properties/conditions"));
        switch (kind) {
            case "TaskSet" -> matrix((ObjectNode) root.at("/properties/spec/properties/source/properties/matrix"));
            case "WorkerPool" -> {
                mapBy((ObjectNode) root.at("/properties/spec/properties/grantedPrefix/properties/types"), "name");
                // A rule would compare each with each, which costs more than the API server allows.
                mapBy((ObjectNode) root.at("/properties/spec/properties/priorityBoosts"), "tag");
                mapBy((ObjectNode) root.at("/properties/spec/properties/resources"), "name");
                mapBy((ObjectNode) root.at("/properties/spec/properties/resourceAliases"), "name");
                mapBy((ObjectNode) root.at("/properties/spec/properties/fairness/properties/weights"), "key");
            }
            case "Task" -> {
                mapBy((ObjectNode) root.at("/properties/spec/properties/nodes"), "name");
                tree(property(root, "spec"), property(root, "status"));
            }
            case "MapReduceJob" -> tree(property(root, "spec"), property(root, "status"));
            default -> {}
        }
        walk(root);
    }

    private void walk(ObjectNode schema) {
        wholeNumbers(schema);
        rulesOnce(schema);
        if (schema.path("type").asText().equals("array")) {
            list(schema);
        }
        if (schema.path("items") instanceof ObjectNode items) {
            walk(items);
        }
        if (schema.path("additionalProperties") instanceof ObjectNode values) {
            walk(values);
        }
        for (var name : names(schema.path("properties"))) {
            var property = property(schema, name);
            switch (name) {
                case "template" -> PodTemplateSchema.finish(property);
                case "resources" -> {
                    if (property.path("type").asText().equals("array")) { // names of ours, not what a container may use
                        walk(property);
                        break;
                    }
                    var description = property.path("description").asText();
                    PodTemplateSchema.withoutDescriptions(property);
                    property.put("description", description);
                }
                case "mapReduce" -> {
                    sizeAsText(property(property, "resultsSize"));
                    walk(property);
                }
                case "slots", "rollout", "output" -> {
                    if (property.path("type").asText().equals("object")) {
                        defaultOfFields(property);
                    }
                    walk(property);
                }
                case "value" -> {
                    property.put("default", ""); // the generator reads "" as YAML's null
                    walk(property);
                }
                case "args" -> {
                    anyJson(property);
                    walk(property);
                }
                case "input" -> {
                    input(property);
                    walk(property);
                }
                default -> walk(property);
            }
            if (property.path("x-kubernetes-int-or-string").asBoolean()) {
                property.put("maxLength", 20);
            }
        }
    }

    /**
     * Makes a field a text whose rule is run for each of many nodes. An API server before 1.34 takes a text that may be a number for
     * one of three megabytes, and refuses the rule for its cost.
     */
    private static void sizeAsText(ObjectNode schema) {
        schema.remove("anyOf");
        schema.remove("x-kubernetes-int-or-string");
        schema.put("type", "string").put("maxLength", 20);
    }

    /** Only an object that is there gets the defaults of its fields; and a default is tested by the rules as it stands. */
    private static void defaultOfFields(ObjectNode schema) {
        var whole = schema.putObject("default");
        for (var name : names(schema.get("properties"))) {
            whole.set(name, property(schema, name).get("default"));
        }
    }

    /** The generator writes every bound as a double; a format says how wide a number is. */
    private static void wholeNumbers(ObjectNode schema) {
        for (var bound : List.of("minimum", "maximum")) {
            if (schema.has(bound)) {
                schema.put(bound, Math.round(schema.get(bound).asDouble()));
            }
        }
        if (schema.path("type").asText().equals("integer")) {
            schema.put(
                    "format", schema.path("maximum").asLong(Long.MAX_VALUE) <= Integer.MAX_VALUE ? "int32" : "int64");
        }
    }

    /** A rule on a record's component is found on its field and again on its accessor. */
    private static void rulesOnce(ObjectNode schema) {
        if (schema.path("x-kubernetes-validations") instanceof ArrayNode rules) {
            var once = new LinkedHashSet<JsonNode>();
            rules.forEach(once::add);
            schema.putArray("x-kubernetes-validations").addAll(once);
        }
    }

    /** A field of any type; a rule cannot see it, so that the schema requires exactly one of those that are there. */
    private static void input(ObjectNode input) {
        var json = property(input, "json");
        var description = json.path("description").asText();
        json.removeAll();
        json.put("description", description).put("x-kubernetes-preserve-unknown-fields", true);
        var oneOf = input.putArray("oneOf");
        for (var field : List.of("json", "base64", "locator", "configMapKeyRef")) {
            if (input.at("/properties").has(field)) {
                oneOf.addObject().putArray("required").add(field);
            }
        }
    }

    /** Arguments of any type; a rule cannot see them, nor the list that they are in. */
    private static void anyJson(ObjectNode args) {
        var argument = (ObjectNode) args.get("items");
        if (argument.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
            argument.put("description", "Any JSON value: at most 262144 bytes with all other nodes.")
                    .put("nullable", true);
        }
    }

    private static void tree(ObjectNode spec, ObjectNode status) {
        property(spec, "notBefore").put("format", "date-time");
        property(status, "result").put("nullable", true); // null is a result
    }

    /** Environment is a map by name, which makes names unique; all else is written as a whole. */
    private static void list(ObjectNode schema) {
        if (schema.has("x-kubernetes-list-type")) {
            return;
        }
        var fields = names(schema.at("/items/properties"));
        if (fields.equals(List.of("name", "value"))) {
            mapBy(schema, "name");
        } else {
            schema.put("x-kubernetes-list-type", "atomic");
        }
    }

    private static void matrix(ObjectNode matrix) {
        var values = (ObjectNode) matrix.get("additionalProperties");
        values.put("minItems", 1).put("maxItems", 1000);
        ((ObjectNode) values.get("items")).put("maxLength", 1024);
    }

    private static void conditions(ObjectNode conditions) {
        mapBy(conditions, "type");
        var condition = (ObjectNode) conditions.get("items");
        condition
                .putArray("required")
                .add("lastTransitionTime")
                .add("message")
                .add("reason")
                .add("status")
                .add("type");
        property(condition, "type")
                .put("description", "What the condition is about, PascalCase.")
                .put("minLength", 1)
                .put("maxLength", 316);
        property(condition, "status")
                .put("description", "True, False, or Unknown.")
                .putArray("enum")
                .add("True")
                .add("False")
                .add("Unknown");
        property(condition, "reason")
                .put("description", "Why it is so, in one word, PascalCase.")
                .put("minLength", 1)
                .put("maxLength", 128)
                .put("pattern", "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$");
        property(condition, "message")
                .put("description", "Why it is so, for people: at most 2048 characters.")
                .put("maxLength", 2048);
        property(condition, "lastTransitionTime")
                .put("description", "When the status of the condition last changed: RFC 3339, UTC.")
                .put("format", "date-time");
        property(condition, "observedGeneration")
                .put("description", "The metadata.generation that the condition was computed from.")
                .put("minimum", 0);
    }

    /** Says that the list's elements are told apart by one of their fields. */
    static void mapBy(ObjectNode list, String key) {
        list.put("x-kubernetes-list-type", "map")
                .putArray("x-kubernetes-list-map-keys")
                .add(key);
    }

    static ObjectNode property(ObjectNode schema, String name) {
        return (ObjectNode) schema.get("properties").get(name);
    }

    static List<String> names(JsonNode object) {
        var names = new ArrayList<String>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
