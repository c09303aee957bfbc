package dev.quiver.history.rig;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** The API's own description, and whether an answer is as it describes. Knows the words of JSON Schema that it uses. */
public final class OpenApi {

    private final JsonNode document;

    /** As the product serves it. */
    public OpenApi() {
        try (InputStream in = OpenApi.class.getResourceAsStream("/dev/quiver/history/web/openapi.json")) {
            document = new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Parameters of each operation, references resolved; an operation is its method and path: {@code GET /v1/x}. */
    public Map<String, List<JsonNode>> operations() {
        Map<String, List<JsonNode>> operations = new TreeMap<>();
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    List<JsonNode> parameters = new ArrayList<>();
                    operation.getValue().get("parameters").forEach(each -> parameters.add(resolved(each)));
                    operations.put(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(), parameters);
                }));
        return operations;
    }

    /** Whether the operation may answer so. */
    public boolean documents(String operation, int code) {
        return described(operation).get("responses").has("" + code);
    }

    /** The media types of such an answer. */
    public List<String> mediaTypes(String operation, int code) {
        List<String> types = new ArrayList<>();
        resolved(described(operation).get("responses").get("" + code))
                .path("content")
                .fieldNames()
                .forEachRemaining(type -> types.add(type.replaceAll(";.*", "")));
        return types;
    }

    /** The faults of a JSON answer of that operation; empty where it has none. */
    public List<String> faults(String operation, int code, JsonNode body) {
        JsonNode response = resolved(described(operation).get("responses").get("" + code));
        List<String> faults = new ArrayList<>();
        check(response.get("content").get("application/json").get("schema"), body, "$", faults);
        return faults;
    }

    /** A path alone is its GET. */
    private JsonNode described(String operation) {
        int space = operation.indexOf(' ');
        String method = space < 0 ? "get" : operation.substring(0, space).toLowerCase(Locale.ROOT);
        return document.get("paths").get(operation.substring(space + 1)).get(method);
    }

    private JsonNode resolved(JsonNode node) {
        JsonNode at = node;
        while (at.has("$ref")) {
            at = document.at(at.get("$ref").asText().substring(1));
        }
        return at;
    }

    private void check(JsonNode given, JsonNode value, String at, List<String> faults) {
        JsonNode schema = resolved(given);
        String type = schema.path("type").asText();
        boolean fits = switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            default -> false;
        };
        if (!fits) {
            faults.add(at + " is no " + type + ": " + value);
            return;
        }
        if (schema.has("enum") && !contains(schema.get("enum"), value)) {
            faults.add(at + " is none of " + schema.get("enum") + ": " + value);
        }
        if (schema.path("format").asText().equals("date-time")
                && !value.asText().matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")) {
            faults.add(at + " is no time: " + value);
        }
        if (type.equals("array")) {
            for (int i = 0; i < value.size(); i++) {
                check(schema.get("items"), value.get(i), at + "[" + i + "]", faults);
            }
        } else if (type.equals("object")) {
            object(schema, value, at, faults);
        }
    }

    private static boolean contains(JsonNode all, JsonNode value) {
        for (JsonNode each : all) {
            if (each.equals(value)) {
                return true;
            }
        }
        return false;
    }

    private void object(JsonNode schema, JsonNode value, String at, List<String> faults) {
        schema.path("required").forEach(name -> {
            if (!value.has(name.asText())) {
                faults.add(at + " has no " + name.asText());
            }
        });
        JsonNode further = schema.path("additionalProperties");
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            JsonNode known = schema.path("properties").path(field.getKey());
            if (!known.isMissingNode()) {
                check(known, field.getValue(), at + "." + field.getKey(), faults);
            } else if (further.isObject()) {
                check(further, field.getValue(), at + "." + field.getKey(), faults);
            } else if (further.isBoolean() && !further.asBoolean()) {
                faults.add(at + " has " + field.getKey() + ", which is not described");
            }
        }
    }
}
