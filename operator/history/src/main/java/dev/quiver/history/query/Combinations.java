package dev.quiver.history.query;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.lifecycle.history.HistoryBounds;

/**
 * Names of a matrix' combinations as the workers make them, {@code arch=arm,os=linux}: keys by name, the last one varies
 * fastest. Read from a run's specification, which is bounded, and may be forged. No I/O.
 */
final class Combinations {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Combinations NONE = new Combinations(Map.of());

    private final Map<String, List<String>> keys;

    private Combinations(Map<String, List<String>> keys) {
        this.keys = keys;
    }

    /** Reads a specification. The combinations have no names if its source is no matrix, or if nothing was recorded. */
    static Combinations of(byte[] spec) {
        Map<String, List<String>> keys = new TreeMap<>();
        try {
            for (Map.Entry<String, JsonNode> key :
                    JSON.readTree(spec).path("source").path("matrix").properties()) {
                List<String> values = new ArrayList<>();
                key.getValue().forEach(value -> values.add(value.asText()));
                keys.put(key.getKey(), values);
            }
        } catch (IOException senseless) {
            return NONE;
        }
        return new Combinations(keys);
    }

    /** The name of a task; absent where the matrix has no such combination, or one of more bytes than a name. */
    Optional<String> name(long task) {
        long rest = task;
        String name = "";
        List<String> names = new ArrayList<>(keys.keySet());
        for (int i = names.size() - 1; i >= 0; i--) {
            List<String> values = keys.get(names.get(i));
            if (values.isEmpty() || name.length() > HistoryBounds.NAME_BYTES) {
                return Optional.empty();
            }
            String pair = names.get(i) + "=" + values.get((int) (rest % values.size()));
            name = name.isEmpty() ? pair : pair + "," + name;
            rest /= values.size();
        }
        boolean there = rest == 0 && !name.isEmpty();
        return there && name.getBytes(StandardCharsets.UTF_8).length <= HistoryBounds.NAME_BYTES
                ? Optional.of(name)
                : Optional.empty();
    }
}
