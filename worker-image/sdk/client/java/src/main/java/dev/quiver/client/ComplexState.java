package dev.quiver.client;

import java.util.HashMap;
import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.lifecycle.task.results.ComplexStates;

/**
 * A complex task's state and markers for a key, as of one moment.
 *
 * @param version grows with each change while anything is kept
 * @param fields of its state, by their names
 * @param markers by their names: an object with what each says, {@code left} tasks of it that have not ended, and
 *     {@code error} where one failed for good
 */
public record ComplexState(long version, Map<String, JsonNode> fields, Map<String, JsonNode> markers) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Copies both. */
    public ComplexState {
        fields = Map.copyOf(fields);
        markers = Map.copyOf(markers);
    }

    static ComplexState of(ComplexStates.State state) {
        return new ComplexState(state.version(), parsed(state.fields()), parsed(state.markers()));
    }

    private static Map<String, JsonNode> parsed(Map<String, String> texts) {
        Map<String, JsonNode> all = new HashMap<>();
        texts.forEach((name, text) -> {
            try {
                all.put(name, JSON.readTree(text));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("the complex task has " + name + ", which is no JSON", e);
            }
        });
        return all;
    }
}
