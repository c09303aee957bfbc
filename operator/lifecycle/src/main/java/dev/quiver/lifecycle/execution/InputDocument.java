package dev.quiver.lifecycle.execution;

import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;

/** An input as JSON in a spec or an item, in the form of the resource: {@code {"json": …}}, {@code {"base64": …}} … */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record InputDocument(
        @JsonProperty("json") JsonNode json,
        @JsonProperty("base64") String base64,
        @JsonProperty("locator") String locator,
        @JsonProperty("format") String format) {

    public static InputDocument of(ExecutionInput input) {
        return switch (input) {
            case ExecutionInput.Json(String text) -> new InputDocument(InputJson.parse(text), null, null, null);
            case ExecutionInput.Inline(String base64, ExecutionInput.Format format) ->
                new InputDocument(null, base64, null, format.word());
            case ExecutionInput.Locator(String locator, ExecutionInput.Format format) ->
                new InputDocument(null, null, locator, format.word());
        };
    }

    /** Exactly one of the three; otherwise an IllegalArgumentException names field and value. */
    public ExecutionInput input() {
        return ExecutionInput.of(
                Optional.ofNullable(json).map(JsonNode::toString),
                Optional.ofNullable(base64),
                Optional.ofNullable(locator),
                Optional.ofNullable(format));
    }
}
