package dev.quiver.lifecycle.execution;

import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Inputs as JSON: numbers keep all their digits, objects the order of their keys. Pure. */
final class InputJson {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private InputJson() {}

    static String compact(String text) {
        return parse(text).toString();
    }

    static JsonNode parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            if (node == null || node.isMissingNode()) {
                throw new IllegalArgumentException("input.json is empty");
            }
            return node;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("input.json is not valid JSON: " + JsonFault.message(e), e);
        }
    }

    /** Whether a compact text is an object. */
    static boolean isObject(String compact) {
        return compact.startsWith("{");
    }

    /** Two objects as one: keys of the second win, at the top level. */
    static String merge(String base, String over) {
        ObjectNode all = (ObjectNode) parse(base);
        all.setAll((ObjectNode) parse(over));
        return all.toString();
    }

    /** The object with these keys, which replace keys of the same name. */
    static String with(String base, Map<String, String> keys) {
        ObjectNode all = (ObjectNode) parse(base);
        keys.forEach(all::put);
        return all.toString();
    }
}
