package dev.quiver.lifecycle.wires.idoit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Each key of the wire with its type, fields and members, so that a keyspace can be compared with a recorded one. Ids and
 * uids are numbered; scores, random parts, stacks and Quiver's additions are left out.
 *
 * @param keys names without the prefix → what is there, as text
 */
record WireKeys(Map<String, String> keys) {

    /** Keys as they are: hashes as maps, sets and sorted sets as collections of members. */
    static WireKeys of(Map<String, Object> raw, String prefix, List<String> ids) {
        Map<String, String> numbered =
                new TreeMap<>(Comparator.comparing(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        for (int i = 0; i < ids.size(); i++) {
            numbered.put(ids.get(i), "task-" + i);
            Object task = raw.get(prefix + ids.get(i));
            String uid = (String) ((Map<?, ?>) task).get("uid");
            numbered.put(JsJson.read(uid).textValue(), "uid-" + i);
        }
        Map<String, String> keys = new TreeMap<>();
        raw.forEach((key, value) -> keys.put(
                named(key.substring(prefix.length()), numbered),
                switch (value) {
                    case Map<?, ?> hash -> "hash " + fields(hash, numbered);
                    case Collection<?> members -> members(members, numbered);
                    default -> throw new IllegalArgumentException(key);
                }));
        return new WireKeys(keys);
    }

    /** The keys of a world as they are now. */
    static WireKeys of(IdoitWorld world, String root) {
        Map<String, Object> raw = new TreeMap<>();
        for (String key : world.keys()) {
            raw.put(
                    key,
                    switch (world.store.ask(redis -> redis.type(key))) {
                        case "hash" -> world.store.ask(redis -> redis.hgetall(key));
                        case "zset" -> world.store.ask(redis -> redis.zrange(key, 0, -1));
                        default -> world.store.ask(redis -> redis.smembers(key));
                    });
        }
        List<String> ids = new ArrayList<>(List.of(root));
        String children = world.task(root).get("children");
        if (children != null) {
            JsJson.read(children).forEach(child -> ids.add(child.textValue()));
        }
        return of(raw, world.prefix, ids);
    }

    private static String members(Collection<?> members, Map<String, String> numbered) {
        return "members "
                + members.stream()
                        .map(member -> named((String) member, numbered)
                                .replaceAll("\"rnd\":\"[A-Za-z0-9+/]{28}\"", "\"rnd\":\"random\""))
                        .sorted()
                        .toList();
    }

    private static Map<String, String> fields(Map<?, ?> hash, Map<String, String> numbered) {
        Map<String, String> fields = new TreeMap<>();
        hash.forEach((field, value) -> {
            String name = (String) field;
            if (!name.startsWith("quiver")) {
                fields.put(name, named(name.equals("error") ? withoutStack((String) value) : (String) value, numbered));
            }
        });
        return fields;
    }

    private static String withoutStack(String error) {
        JsonNode read = JsJson.read(error);
        ((ObjectNode) read).remove("stack");
        return JsJson.write(read);
    }

    /** The longest names first: one may begin another. */
    private static String named(String text, Map<String, String> numbered) {
        String named = text;
        for (Map.Entry<String, String> name : numbered.entrySet()) {
            named = named.replace(name.getKey(), name.getValue());
        }
        return named;
    }
}
