package dev.quiver.history.store;

import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Labels as a column. Stateless. */
public final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static String write(Map<String, String> labels) {
        try {
            return MAPPER.writeValueAsString(new java.util.TreeMap<>(labels));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
