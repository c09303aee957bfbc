package dev.quiver.controller.mapreduce;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.crds.v1alpha1.MapReduceInput;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.ExecutionInput.Format;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.TaskResult;

/** The input of a job as it was read. */
sealed interface JobInput {

    /** It was not looked for: Redis has the work already. */
    record NotRead() implements JobInput {}

    /**
     * It is there.
     *
     * @param json absent where the spec has none
     */
    record Read(Optional<JsonNode> json) implements JobInput {

        /** The chunks of a job without map: the elements of an array, else the value alone. */
        List<JsonNode> chunks() {
            JsonNode value = json.orElseThrow(); // one that keeps its words is an array that knows nothing of it
            String text = value.toString();
            return text.startsWith("[")
                    ? RawJson.elements(text).stream().map(RawJson::node).toList()
                    : List.of(value);
        }
    }

    /** Its ConfigMap, or the key there, is not there. */
    record NotFound(String message) implements JobInput {}

    /** It can never be taken. */
    record Invalid(String message) implements JobInput {}

    /** An input that stands in the spec, or none. */
    static JobInput inline(Optional<MapReduceInput> input) {
        return input.filter(it -> it.base64() != null || it.locator() != null)
                .map(JobInput::object)
                .orElseGet(() -> of("spec.input.json", input.map(MapReduceInput::json)));
    }

    /** Bytes, or where they are: map gets them as the next node of a chain gets such a result. */
    private static JobInput object(MapReduceInput input) {
        Format format = Format.of("spec.input.format", input.formatOrDefault().name());
        if (input.locator() != null) {
            return of("spec.input.locator", TaskResult.located(input.locator(), format));
        }
        try {
            return of(
                    "spec.input.base64",
                    TaskResult.base64(new ExecutionInput.Inline(input.base64(), format).payload()));
        } catch (IllegalArgumentException e) {
            return new Invalid("spec." + e.getMessage() + ".");
        }
    }

    private static JobInput of(String field, String json) {
        return of(field, Optional.of(RawJson.node(json)));
    }

    /** The text of a ConfigMap: as JSON where it is JSON, else as a text. */
    static JobInput ofText(String field, String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        return bytes > MapReduceInput.MAX_BYTES
                ? tooLarge(field, bytes)
                : of(field, Optional.of(RawJson.node(RawJson.line(text.strip()))));
    }

    private static JobInput of(String field, Optional<JsonNode> json) {
        int bytes = json.map(value -> value.toString().getBytes(StandardCharsets.UTF_8).length)
                .orElse(0);
        return bytes > MapReduceInput.MAX_BYTES ? tooLarge(field, bytes) : new Read(json);
    }

    private static Invalid tooLarge(String field, int bytes) {
        return new Invalid(
                field + ": the input has " + bytes + " bytes, at most " + MapReduceInput.MAX_BYTES + " are allowed.");
    }
}
