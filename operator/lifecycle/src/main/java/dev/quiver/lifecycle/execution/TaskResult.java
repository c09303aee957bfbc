package dev.quiver.lifecycle.execution;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private static final String ARROW_HEAD = "{\"base64\":\"";
    private static final String ARROW_TAIL = "\",\"format\":\"Arrow\"}";

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
     * The result that this output of a task is. JSON is taken as it is. Text in UTF-8 is JSON if it is a document, else a
     * JSON string without the blanks at its end. Other bytes, Arrow and locators are objects, like a task's input in a
     * resource: {@code {"base64": …, "format": "Arrow"}}, {@code {"locator": …, "format": "Bytes"}}.
     *
     * @return absent for an output without a byte
     * @throws IllegalArgumentException when what is said to be JSON is none; {@link InputTooLargeException} with both sizes
     */
    public static Optional<TaskResult> of(ExecutionInput.Payload output) {
        byte[] bytes = output.bytes();
        if (bytes.length == 0) {
            return Optional.empty();
        }
        if (output.locator()) {
            return Optional.of(object(located(new String(bytes, StandardCharsets.UTF_8), output.format())));
        }
        return Optional.of(
                switch (output.format()) {
                    case JSON ->
                        of(text(bytes)
                                .orElseThrow(() -> new IllegalArgumentException("the result is JSON, but not UTF-8")));
                    case BYTES -> text(bytes).map(TaskResult::ofText).orElseGet(() -> encoded(output));
                    default -> encoded(output);
                });
    }

    /** Whether these bytes are one JSON document in UTF-8. */
    public static boolean isJson(byte[] bytes) {
        return text(bytes).filter(TaskResult::isDocument).isPresent();
    }

    private static boolean isDocument(String text) {
        try {
            InputJson.parse(text);
            return true;
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    private static Optional<String> text(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static TaskResult ofText(String text) {
        try {
            return of(text);
        } catch (InputTooLargeException large) {
            throw large;
        } catch (IllegalArgumentException none) {
            return new TaskResult(InputJson.text(text.stripTrailing()), -1);
        }
    }

    private static TaskResult encoded(ExecutionInput.Payload output) {
        return object(base64(output));
    }

    /** Bytes as JSON: {@code {"base64": …, "format": "Arrow"}}, of any length. */
    public static String base64(ExecutionInput.Payload data) {
        return json("base64", Base64.getEncoder().encodeToString(data.bytes()), data.format());
    }

    /** A locator as JSON: {@code {"locator": …, "format": "Arrow"}}. */
    public static String located(String locator, ExecutionInput.Format format) {
        return json("locator", locator, format);
    }

    private static TaskResult object(String json) {
        return new TaskResult(json, -1);
    }

    private static String json(String field, String value, ExecutionInput.Format format) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(field, value);
        fields.put("format", format.word());
        return InputJson.of(fields);
    }

    /** The Arrow stream that a result is, as {@link #base64} has it; absent for any other value. */
    public static Optional<byte[]> arrow(String json) {
        if (!json.startsWith(ARROW_HEAD) || !json.endsWith(ARROW_TAIL)) {
            return Optional.empty();
        }
        try {
            String text = json.substring(ARROW_HEAD.length(), json.length() - ARROW_TAIL.length());
            return Optional.of(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException other) {
            return Optional.empty();
        }
    }

    /** Its elements as JSON; none of any other value than an array. */
    public List<String> elementTexts() {
        return elements < 0 ? List.of() : InputJson.elements(json);
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
