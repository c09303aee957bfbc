package dev.quiver.lifecycle.wires.idoit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The commands of npm's idoit 4.0.0 from the creation of a tree to its end, as Redis' MONITOR showed them. The
 * keyspace at the end is with them. See {@code idoit/golden}.
 */
final class IdoitRecording {

    private static final String PREFIX = "idoit:";
    private static final String OF_A_SCRIPT = "   lua> ";
    private static final String AT_THE_END = "# final keyspace";

    private final List<String> lines;
    private final List<String> ids = new ArrayList<>();

    IdoitRecording(String name) {
        try {
            lines = Files.readAllLines(Path.of("src/test/resources/idoit/golden/idoit-4.0.0-" + name + ".txt"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String line : lines) {
            if (line.startsWith("[\"hmset\"")) {
                ids.add(JsJson.read(line).get(1).textValue().substring(PREFIX.length()));
            }
        }
    }

    /** The keyspace at the end, as it was read then. */
    WireKeys end() {
        Map<String, Object> keys = new TreeMap<>();
        for (String line : lines.subList(lines.indexOf(AT_THE_END) + 1, lines.size())) {
            String[] words = line.split(" ", 3);
            JsonNode value = JsJson.read(words[2]);
            switch (words[0]) {
                case "hash" -> {
                    Map<String, String> fields = new LinkedHashMap<>();
                    value.properties()
                            .forEach(field ->
                                    fields.put(field.getKey(), field.getValue().textValue()));
                    keys.put(words[1], fields);
                }
                case "zset" -> {
                    List<String> members = new ArrayList<>();
                    for (int i = 0; i < value.size(); i += 2) {
                        members.add(value.get(i).textValue());
                    }
                    keys.put(words[1], members);
                }
                default -> throw new IllegalArgumentException(line);
            }
        }
        return WireKeys.of(keys, PREFIX, ids);
    }

    /** The keyspace behind the creation, and behind each change of the state of the root, by the commands. */
    List<WireKeys> states() {
        List<WireKeys> states = new ArrayList<>();
        Map<String, Object> keys = new TreeMap<>();
        String state = PREFIX + ids.getFirst();
        boolean due = false;
        for (String line : lines.subList(0, lines.indexOf(AT_THE_END))) {
            boolean script = line.startsWith(OF_A_SCRIPT);
            if (!script && !line.startsWith("[")) {
                continue; // a comment, or a message of the program
            }
            JsonNode command = JsJson.read(script ? line.substring(OF_A_SCRIPT.length()) : line);
            String verb = command.get(0).textValue();
            boolean ofRoot = command.get(1).textValue().equals(state);
            if (script && states.isEmpty()) {
                states.add(WireKeys.of(keys, PREFIX, ids));
            }
            if (due && !(verb.equals("hset") && ofRoot)) {
                states.add(WireKeys.of(keys, PREFIX, ids));
                due = false;
            }
            apply(command, verb, keys);
            due |= verb.equals("hset") && ofRoot && command.get(2).textValue().equals("state");
        }
        states.add(WireKeys.of(keys, PREFIX, ids));
        return states;
    }

    private static void apply(JsonNode command, String verb, Map<String, Object> keys) {
        String key = command.get(1).textValue();
        switch (verb) {
            case "hmset", "hset" -> {
                for (int i = 2; i < command.size(); i += 2) {
                    hash(keys, key)
                            .put(command.get(i).textValue(), command.get(i + 1).textValue());
                }
            }
            case "hincrby" ->
                hash(keys, key)
                        .merge(
                                command.get(2).textValue(),
                                command.get(3).textValue(),
                                (was, by) -> Long.toString(Long.parseLong(was) + Long.parseLong(by)));
            case "sadd" -> members(keys, key).add(command.get(2).textValue());
            case "zadd" -> members(keys, key).add(command.get(3).textValue());
            case "srem", "zrem" -> {
                members(keys, key).remove(command.get(2).textValue());
                if (members(keys, key).isEmpty()) {
                    keys.remove(key);
                }
            }
            case "hget", "zscore" -> {}
            default -> throw new IllegalArgumentException(command.toString());
        }
    }

    @SuppressWarnings("unchecked") // by the verb
    private static Map<String, String> hash(Map<String, Object> keys, String key) {
        return (Map<String, String>) keys.computeIfAbsent(key, absent -> new LinkedHashMap<String, String>());
    }

    @SuppressWarnings("unchecked")
    private static Collection<String> members(Map<String, Object> keys, String key) {
        return (Collection<String>) keys.computeIfAbsent(key, absent -> new TreeSet<String>());
    }
}
