package dev.quiver.lifecycle.execution;

import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The value that a task returned: one JSON document.
 *
 * @param json in the words of the task, so that no digit changes; at most {@link #MAX_BYTES} bytes of UTF-8
 * @param elements of an array; −1 for any other value
 */
public record TaskResult(String json, int elements) {

    /** Bytes of a result at most. */
    public static final int MAX_BYTES = 256 * 1024;

    /** Checks the size. */
    public TaskResult {
        InputTooLargeException.check("result", Utf8.length(json), MAX_BYTES);
    }

    /**
     * The result of this text.
     *
     * @throws IllegalArgumentException when it is no JSON document; {@link InputTooLargeException} with both sizes
     */
    public static TaskResult of(String text) {
        JsonNode value = InputJson.parse(text);
        return new TaskResult(text.strip(), value.isArray() ? value.size() : -1);
    }

    /**
     * An element of it as JSON; {@code null} where there is none.
     *
     * @param path indices, with slashes; empty for the whole
     */
    public String element(String path) {
        if (path.isEmpty()) {
            return json;
        }
        Optional<String> value = Optional.of(json);
        for (String index : path.split("/")) {
            value = value.flatMap(text -> InputJson.element(text, Integer.parseInt(index)));
        }
        return value.orElse("null");
    }
}
