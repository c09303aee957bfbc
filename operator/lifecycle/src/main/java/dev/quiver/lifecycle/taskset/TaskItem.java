package dev.quiver.lifecycle.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.taskset.ExecutionSpec.EnvVar;

/**
 * What distinguishes one task of a set from the others. As a payload it is JSON: {@code {"name": …, "args": […], "env":
 * [{"name", "value"}]}}.
 *
 * @param name the task's name
 * @param args appended to the arguments of the set
 * @param env after the environment of the set
 * @param matrix the values of a matrix' keys, part of the environment under their own names; empty otherwise
 */
public record TaskItem(String name, List<String> args, List<EnvVar> env, Map<String, String> matrix) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private record Payload(
            @JsonProperty("name") String name,
            @JsonProperty("args") List<String> args,
            @JsonProperty("env") List<EnvVar> env) {}

    /** A task with a name and nothing else of its own. */
    static TaskItem named(String name) {
        return new TaskItem(name, List.of(), List.of(), Map.of());
    }

    static TaskItem ofMatrix(Map<String, String> values) {
        String name = values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(","));
        return new TaskItem(name, List.of(), List.of(), values);
    }

    /** Reads a payload; a missing name, an unknown field or a broken document is an IllegalArgumentException. */
    public static TaskItem ofJson(String payload) {
        try {
            Payload item = JSON.readValue(payload, Payload.class);
            if (item == null || item.name() == null || item.name().isEmpty()) {
                throw new IllegalArgumentException("item has no name: " + payload);
            }
            return new TaskItem(
                    item.name(),
                    item.args() == null ? List.of() : List.copyOf(item.args()),
                    item.env() == null ? List.of() : List.copyOf(item.env()),
                    Map.of());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "item is not valid JSON of name, args, env: " + e.getOriginalMessage(), e);
        }
    }

    /** Reads a line of a ConfigMap: an item as JSON when it starts with a brace, else a name that is also its argument. */
    public static TaskItem ofLine(String line) {
        return line.startsWith("{") ? ofJson(line) : new TaskItem(line, List.of(line), List.of(), Map.of());
    }

    /** This item as a payload to feed. */
    public String toJson() {
        try {
            return JSON.writeValueAsString(new Payload(name, args, env));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The tasks of a text of lines: blank ones and those that start with {@code #} are skipped, the others are payloads
     * of a {@link ExecutionSpec.TaskSource.Lines} source in their order.
     */
    public static List<String> linesOf(String text) {
        List<String> payloads = new ArrayList<>();
        text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .forEach(payloads::add);
        return payloads;
    }
}
