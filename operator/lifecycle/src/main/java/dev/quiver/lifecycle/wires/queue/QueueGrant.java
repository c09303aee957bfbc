package dev.quiver.lifecycle.wires.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * The grant of a prefix to a pool.
 *
 * @param types by their names on the wire
 */
record QueueGrant(String prefix, Map<String, QueueType> types) {

    private static final int BYTES = 256 * 1024;
    private static final JsonMapper JSON = new JsonMapper();

    /** A type that a worker runs, and which of its parts. */
    record Served(QueueType type, String parts) {}

    /** As Redis has it; absent where nothing is granted. */
    static Optional<QueueGrant> read(RedisStore store, String source) {
        List<Optional<String>> fields = new BoundedReads(store).fields(source, BYTES, "prefix", "types");
        return fields.getFirst()
                .map(prefix -> BoundedReads.understood(
                        source, () -> new QueueGrant(prefix, types(fields.get(1).orElse("[]")))));
    }

    private static Map<String, QueueType> types(String json) {
        Map<String, QueueType> types = new LinkedHashMap<>();
        for (JsonNode type : tree(json)) {
            String name = type.get("name").textValue();
            types.put(
                    name,
                    new QueueType(
                            name,
                            type.get("handler").textValue(),
                            type.get("retries").intValue(),
                            Duration.ofMillis(type.get("delayMillis").longValue()),
                            Duration.ofMillis(type.get("timeoutMillis").longValue())));
        }
        return types;
    }

    private static JsonNode tree(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException broken) {
            throw new IllegalArgumentException("the types are no JSON", broken);
        }
    }

    static String write(List<QueueType> types) {
        ArrayNode all = JSON.createArrayNode();
        types.forEach(type -> all.addObject()
                .put("name", type.name())
                .put("handler", type.handler())
                .put("retries", type.retries())
                .put("delayMillis", type.delay().toMillis())
                .put("timeoutMillis", type.timeout().toMillis()));
        return all.toString();
    }

    /** The type of this name: without one of its own, that of the handler of this name. */
    QueueType type(String name) {
        QueueType own = types.get(name);
        return own == null ? QueueType.ofHandler(name) : own;
    }

    /** The types that run where these functions are served, with their parts. */
    List<Served> served(List<String> functions) {
        Set<String> names = new LinkedHashSet<>(types.keySet());
        for (String function : functions) {
            for (Part part : Part.values()) {
                if (function.endsWith(part.suffix())
                        && function.length() > part.suffix().length()) {
                    names.add(function.substring(
                            0, function.length() - part.suffix().length()));
                }
            }
        }
        List<Served> served = new ArrayList<>();
        for (String name : names) {
            QueueType type = type(name);
            StringBuilder parts = new StringBuilder();
            for (Part part : Part.values()) {
                if (functions.contains(part.function(type.handler()))) {
                    parts.append(part.served());
                }
            }
            if (!parts.isEmpty()) {
                served.add(new Served(type, parts.toString()));
            }
        }
        return served;
    }
}
