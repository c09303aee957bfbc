package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.execution.EffectiveInput;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputDocument;
import dev.quiver.lifecycle.execution.JsonFault;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;

/**
 * The properties of one task that the other tasks of its set do not share. As a payload it is JSON: {@code {"name": …,
 * "args": […], "env": [{"name", "value"}], "input": {"json" | "base64" | "locator": …, "format": …}, "muted": …}}.
 *
 * @param name the task's name
 * @param args appended to the arguments of the set; a handler's task has none
 * @param env after the environment of the set
 * @param matrix the values of a matrix' keys, part of the environment under their own names; empty otherwise
 * @param input of this task alone; {@link EffectiveInput} combines it with the set's
 * @param muted whether its first failure ends it as pending
 */
public record OrdinalItem(
        String name,
        List<String> args,
        List<EnvVar> env,
        Map<String, String> matrix,
        Optional<ExecutionInput> input,
        boolean muted) {

    /** The key under which a plain line stands in a JSON object input. */
    private static final String LINE = "line";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private record Payload(
            @JsonProperty("name") String name,
            @JsonProperty("args") List<String> args,
            @JsonProperty("env") List<Variable> env,

            @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("input")
            InputDocument input,

            @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("muted")
            Boolean muted) {}

    private record Variable(
            @JsonProperty("name") String name,
            @JsonProperty("value") String value) {}

    /** An item without an input of its own. */
    public OrdinalItem(String name, List<String> args, List<EnvVar> env, Map<String, String> matrix) {
        this(name, args, env, matrix, Optional.empty(), false);
    }

    /** An item whose failures count. */
    public OrdinalItem(
            String name,
            List<String> args,
            List<EnvVar> env,
            Map<String, String> matrix,
            Optional<ExecutionInput> input) {
        this(name, args, env, matrix, input, false);
    }

    /** A task with a name and nothing else of its own. */
    static OrdinalItem named(String name) {
        return new OrdinalItem(name, List.of(), List.of(), Map.of());
    }

    static OrdinalItem ofMatrix(Map<String, String> values) {
        StringBuilder name = new StringBuilder();
        values.forEach((key, value) -> {
            name.append(name.isEmpty() ? "" : ",").append(key).append('=').append(value);
        });
        return new OrdinalItem(name.toString(), List.of(), List.of(), values);
    }

    /**
     * Reads a payload. An IllegalArgumentException reports a missing name, an unknown field, an entry that is null or a
     * broken document.
     */
    public static OrdinalItem ofJson(String payload) {
        try {
            Payload item = JSON.readValue(payload, Payload.class);
            if (item == null || item.name() == null || item.name().isEmpty()) {
                throw new IllegalArgumentException("item has no name");
            }
            return new OrdinalItem(
                    item.name(),
                    entries("args", item.args()),
                    variables(entries("env", item.env())),
                    Map.of(),
                    Optional.ofNullable(item.input()).map(InputDocument::input),
                    Boolean.TRUE.equals(item.muted()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "item is not valid JSON of name, args, env, input, muted: " + JsonFault.message(e), e);
        }
    }

    /** Refuses a list with an entry that is null, which JSON allows. */
    private static <T> List<T> entries(String field, List<T> list) {
        if (list == null) {
            return List.of();
        }
        int nothing = list.indexOf(null);
        if (nothing >= 0) {
            throw new IllegalArgumentException(field + "[" + nothing + "] is null");
        }
        return List.copyOf(list);
    }

    /** A variable without a value is empty, as in the resource. */
    private static List<EnvVar> variables(List<Variable> env) {
        List<EnvVar> variables = new ArrayList<>(env.size());
        for (Variable variable : env) {
            if (variable.name() == null) {
                throw new IllegalArgumentException("env[" + variables.size() + "] has no name");
            }
            variables.add(new EnvVar(
                    variable.name(), Optional.ofNullable(variable.value()).orElse("")));
        }
        return List.copyOf(variables);
    }

    /** Reads a line of a ConfigMap: an item as JSON when it starts with a brace, else a name that is also its argument. */
    public static OrdinalItem ofLine(String line) {
        return isPlain(line) ? new OrdinalItem(line, List.of(line), List.of(), Map.of()) : ofJson(line);
    }

    /**
     * Reads a line that is not in Redis yet, as {@link #ofLine} does. An item is also refused for a field that is
     * unknown, given twice or of another kind.
     */
    public static OrdinalItem ofWrittenLine(String line) {
        if (!isPlain(line)) {
            WrittenItem.check(line);
        }
        return ofLine(line);
    }

    private static boolean isPlain(String line) {
        return !line.startsWith("{");
    }

    /** The keys that a plain line adds to a JSON object input; none for a line that is an item. */
    public static Map<String, String> inputKeys(String line) {
        return isPlain(line) ? Map.of(LINE, line) : Map.of();
    }

    /** This item as a payload to feed. */
    public String toJson() {
        try {
            List<Variable> variables =
                    env.stream().map(e -> new Variable(e.name(), e.value())).toList();
            return JSON.writeValueAsString(new Payload(
                    name, args, variables, input.map(InputDocument::of).orElse(null), muted ? true : null));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
