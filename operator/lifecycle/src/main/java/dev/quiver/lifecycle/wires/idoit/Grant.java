package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * The grant of a prefix to a pool.
 *
 * @param types by their names on the wire
 */
record Grant(String prefix, Map<String, IdoitType> types) {

    private static final int BYTES = 256 * 1024;

    /** As Redis has it; absent where nothing is granted. */
    static Optional<Grant> read(RedisStore store, String source) {
        List<Optional<String>> fields = new BoundedReads(store).fields(source, BYTES, "prefix", "types");
        return fields.getFirst()
                .map(prefix -> BoundedReads.understood(
                        source, () -> new Grant(prefix, types(fields.get(1).orElse("[]")))));
    }

    private static Map<String, IdoitType> types(String json) {
        Map<String, IdoitType> types = new LinkedHashMap<>();
        for (JsonNode type : JsJson.read(json)) {
            String name = type.get("name").textValue();
            types.put(
                    name,
                    new IdoitType(
                            name,
                            type.get("handler").textValue(),
                            type.get("maxTrials").intValue(),
                            Duration.ofMillis(type.get("backoffMillis").longValue()),
                            Duration.ofMillis(type.get("timeoutMillis").longValue())));
        }
        return types;
    }

    static String write(List<IdoitType> types) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        types.forEach(type -> all.addObject()
                .put("name", type.name())
                .put("handler", type.handler())
                .put("maxTrials", type.maxTrials())
                .put("backoffMillis", type.backoff().toMillis())
                .put("timeoutMillis", type.timeout().toMillis()));
        return all.toString();
    }

    /** The type of this name: without one of its own, that of the handler of this name. */
    IdoitType type(String name) {
        IdoitType own = types.get(name);
        return own == null ? IdoitType.ofHandler(name) : own;
    }

    /** The types that run where these handlers are served. */
    List<IdoitType> served(List<String> handlers) {
        List<IdoitType> all = new ArrayList<>();
        types.values().stream()
                .filter(type -> handlers.contains(type.handler()))
                .forEach(all::add);
        handlers.stream()
                .filter(handler -> !types.containsKey(handler))
                .map(IdoitType::ofHandler)
                .forEach(all::add);
        return all;
    }
}
