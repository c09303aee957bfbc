package dev.quiver.lifecycle.ordinals;

import java.util.Iterator;
import java.util.List;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.execution.JsonFault;

/**
 * Checks an item that a person wrote as JSON as strictly as the API server checks one of the resource. Only known
 * fields are accepted, each once, of the right kind. Only for new items. An item in Redis was accepted, maybe by a
 * version without this check, and is read without it. Pure.
 */
final class WrittenItem {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final List<String> ITEM = List.of("name", "args", "env", "input", "muted");
    private static final List<String> VARIABLE = List.of("name", "value");
    private static final List<String> INPUT = List.of("json", "base64", "locator", "format");

    private WrittenItem() {}

    /** An IllegalArgumentException names the path of the field and the allowed values. */
    static void check(String json) {
        JsonNode item = parse(json);
        known(item, "", "an item", ITEM);
        text(item.path("name"), "name");
        list(item.path("args"), "args", "a list of texts");
        for (int i = 0; i < item.path("args").size(); i++) {
            text(item.path("args").path(i), "args[" + i + "]");
        }
        list(item.path("env"), "env", "a list of {name, value}");
        for (int i = 0; i < item.path("env").size(); i++) {
            variable(item.path("env").path(i), "env[" + i + "]");
        }
        input(item.path("input"));
        JsonNode muted = item.path("muted");
        must(!given(muted) || muted.isBoolean(), "muted", "true or false");
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("item is not valid JSON: " + JsonFault.message(e), e);
        }
    }

    private static void variable(JsonNode variable, String path) {
        if (given(variable)) {
            must(variable.isObject(), path, "{name, value}");
            known(variable, path + ".", "a variable", VARIABLE);
            VARIABLE.forEach(field -> text(variable.path(field), path + "." + field));
        }
    }

    private static void input(JsonNode input) {
        if (given(input)) {
            must(input.isObject(), "input", "an object with json, base64 or locator");
            known(input, "input.", "an input", INPUT);
            INPUT.stream().filter(field -> !field.equals("json")).forEach(f -> text(input.path(f), "input." + f));
        }
    }

    private static void known(JsonNode object, String path, String what, List<String> allowed) {
        for (Iterator<String> fields = object.fieldNames(); fields.hasNext(); ) {
            String field = fields.next();
            if (!allowed.contains(field)) {
                throw new IllegalArgumentException(
                        "unknown field \"" + path + field + "\"; " + what + " has " + String.join(", ", allowed));
            }
        }
    }

    private static void text(JsonNode node, String path) {
        must(!given(node) || node.isTextual(), path, "a text, in quotes");
    }

    private static void list(JsonNode node, String path, String kind) {
        must(!given(node) || node.isArray(), path, kind);
    }

    /** Null counts as absent, as in the resource; a required field that is null is found missing later. */
    private static boolean given(JsonNode node) {
        return !node.isMissingNode() && !node.isNull();
    }

    private static void must(boolean holds, String path, String kind) {
        if (!holds) {
            throw new IllegalArgumentException(path + " must be " + kind);
        }
    }
}
