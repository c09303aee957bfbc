package dev.quiver.controller.status;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StatusReason;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * A resource with its status as JSON for server-side apply. The API server refuses a patch as a whole, whichever field
 * it dislikes. So all texts are printable, but those of a result, whose unusual characters are sent as escapes. A
 * status that is refused nevertheless has smaller forms. Pure.
 */
final class StatusDocument {

    /** The fields that programs and workers write, as samples for people. */
    private static final List<String> SAMPLES = List.of("result", "error", "failures", "tree", "skipped", "handlers");

    /** The fields that the operator reads again after a restart, and has written itself. */
    private static final List<String> OWN = List.of(
            "observedGeneration",
            "keyspace",
            "grantedPrefix",
            "workerPoolName",
            "sourceHash",
            "workHash",
            "resubmissions",
            "templateHash",
            "selector",
            "startTime",
            "completionTime",
            "schedule",
            "conditions");

    private static final String RESULT = "result";
    private static final String CONDITIONS = "conditions";
    private static final int MAX_REASON_CHARS = 700;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final ObjectNode object;

    private StatusDocument(ObjectNode object) {
        this.object = object;
    }

    /** The document of a resource that was serialised. */
    static StatusDocument of(String json) {
        ObjectNode object = read(json);
        ObjectNode status = status(object);
        Optional<JsonNode> result = Optional.ofNullable(status.remove(RESULT));
        clean(status);
        result.ifPresent(exact -> status.set(RESULT, exact));
        return new StatusDocument(object);
    }

    /** All of it. */
    String whole() {
        return text(object);
    }

    /**
     * Without the samples, and with a condition that has the refusal.
     *
     * @param since when the API server first refused the whole
     */
    String withoutSamples(String refusal, Instant since) {
        return text(smaller(refusal, since));
    }

    /** Without the samples, the numbers, and the messages of all other conditions: nothing is left that another wrote. */
    String bare(String refusal, Instant since) {
        ObjectNode bare = smaller(refusal, since);
        status(bare).retain(OWN);
        for (JsonNode condition : status(bare).path(CONDITIONS)) {
            if (!isIncomplete(condition)) {
                ((ObjectNode) condition).put("message", StatusReason.MESSAGE_LEFT_OUT);
            }
        }
        return text(bare);
    }

    private ObjectNode smaller(String refusal, Instant since) {
        ObjectNode smaller = object.deepCopy();
        ObjectNode status = status(smaller).remove(SAMPLES);
        ArrayNode conditions = status.withArray(CONDITIONS);
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (isIncomplete(conditions.get(i))) {
                conditions.remove(i);
            }
        }
        ObjectNode incomplete = conditions
                .addObject()
                .put("type", ConditionType.StatusComplete.name())
                .put("status", ConditionStatus.False.name())
                .put("reason", StatusReason.RefusedByApiServer.name())
                .put(
                        "message",
                        StatusReason.RefusedByApiServer.sentence() + " It answered: "
                                + PrintableText.line(refusal, MAX_REASON_CHARS))
                .put("lastTransitionTime", since.truncatedTo(ChronoUnit.SECONDS).toString());
        Optional.ofNullable(status.get("observedGeneration"))
                .ifPresent(generation -> incomplete.set("observedGeneration", generation));
        return smaller;
    }

    private static boolean isIncomplete(JsonNode condition) {
        return ConditionType.StatusComplete.name().equals(condition.path("type").asText());
    }

    private static ObjectNode status(ObjectNode object) {
        return object.withObject("/status");
    }

    private static ObjectNode read(String json) {
        try {
            return (ObjectNode) JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a status is no JSON: " + e.getMessage(), e);
        }
    }

    private static void clean(JsonNode node) {
        if (node instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                if (field.getValue().isTextual()) {
                    field.setValue(printable(field.getValue()));
                } else {
                    clean(field.getValue());
                }
            }
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                if (array.get(i).isTextual()) {
                    array.set(i, printable(array.get(i)));
                } else {
                    clean(array.get(i));
                }
            }
        }
    }

    private static JsonNode printable(JsonNode text) {
        return TextNode.valueOf(PrintableText.of(text.textValue()));
    }

    /** JSON that is YAML as well: its parser in the API server takes some characters as escapes alone. */
    private static String text(ObjectNode object) {
        String json = object.toString();
        StringBuilder escaped = new StringBuilder(json.length());
        json.chars().forEach(c -> {
            if (isEscaped(c)) {
                escaped.append("\\u%04x".formatted(c));
            } else {
                escaped.append((char) c);
            }
        });
        return escaped.toString();
    }

    private static boolean isEscaped(int c) {
        return (c >= 0x7f && c <= 0x9f) || c == 0xfeff || c == 0xfffe || c == 0xffff || c == 0x2028 || c == 0x2029;
    }
}
