package dev.quiver.controller.tree;

import java.util.Optional;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** A result as the API server can keep it. Pure. */
public final class ResultJson {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ResultJson() {}

    /** The value of a text; absent where the API server could not keep it, or would keep another value. */
    public static Optional<JsonNode> of(String json) {
        try {
            return Optional.of(JSON.readTree(json)).filter(ResultJson::isKept);
        } catch (JsonProcessingException senseless) {
            return Optional.empty();
        }
    }

    private static boolean isKept(JsonNode node) {
        if (node.isMissingNode()) {
            return false;
        }
        if (node.isNumber()) {
            return node.isIntegralNumber() ? node.canConvertToLong() : Double.isFinite(node.doubleValue());
        }
        if (node.isTextual()) {
            return isUnicode(node.textValue());
        }
        for (var field : node.properties()) {
            if (!isUnicode(field.getKey())) {
                return false;
            }
        }
        for (JsonNode child : node) {
            if (!isKept(child)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUnicode(String text) {
        return text.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }
}
