package dev.quiver.lifecycle.wires.queue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * Keyspaces of the programs of seed 001 in each state of one job, beside a postponed one, as they were recorded; see
 * {@code queue/nodeca-queue-5e2f2346.txt}.
 */
final class QueueRecording {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String PREFIX = "queue:";
    private static final String SECTION = "--- ";
    private static final String JOB = "id " + PREFIX + "sum:";

    private final Map<String, Map<String, String>> sections = new HashMap<>();
    private final String prefix;
    private String id;

    /** As if it had been recorded under this prefix. */
    QueueRecording(String prefix) {
        this.prefix = prefix;
        try {
            Map<String, String> keys = new TreeMap<>();
            for (String line : Files.readAllLines(Path.of("src/test/resources/queue/nodeca-queue-5e2f2346.txt"))) {
                if (line.startsWith(JOB)) {
                    id = line.substring(JOB.length());
                } else if (line.startsWith(SECTION)) {
                    keys = new TreeMap<>();
                    sections.put(line.substring(SECTION.length()), keys);
                } else if (line.matches("(hash|set|zset) .*")) { // others are words of the programs
                    String[] words = line.split(" ", 3);
                    keys.put(moved(words[1]), words[0] + " " + value(words[0], JSON.readTree(words[2])));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The job's id behind its type. */
    String id() {
        return id;
    }

    /** The keys of a section in the form of {@link QueueWorld#keys}. */
    Map<String, String> keys(String section) {
        return Map.copyOf(sections.get(section));
    }

    private String value(String type, JsonNode value) throws JsonProcessingException {
        if (type.equals("hash")) {
            Map<String, String> fields = new TreeMap<>();
            value.properties()
                    .forEach(
                            field -> fields.put(field.getKey(), field.getValue().textValue()));
            return fields.toString();
        }
        List<String> texts = StreamSupport.stream(value.spliterator(), false)
                .map(JsonNode::textValue)
                .toList();
        List<String> members = new ArrayList<>();
        for (int i = 0; i < texts.size(); i += type.equals("zset") ? 2 : 1) { // each with its score
            members.add(moved(texts.get(i)));
        }
        return members.stream().sorted().toList().toString();
    }

    private String moved(String key) {
        return prefix + key.substring(PREFIX.length());
    }
}
