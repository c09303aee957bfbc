package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * The input of a task: exactly one of the first three. The schema requires this by {@code oneOf}, because a rule cannot
 * see a field of any type.
 */
@ValidationRule(
        value = "!has(self.base64) || !has(self.locator)",
        message = "must have exactly one of json, base64 and locator")
@ValidationRule(
        value = "!has(self.format) || self.format == 'JSON' || has(self.base64) || has(self.locator)",
        message = "must be JSON or absent with json; base64 and locator may also be Arrow or Bytes",
        fieldPath = ".format")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TaskInput(
        @JsonPropertyDescription(
                "Any JSON value, as written here: at most 256 KiB as compact JSON. An item's object and that of"
                        + " spec.task become one; a key of the item replaces the other.")
        JsonNode json,

        @JsonPropertyDescription(
                "Bytes in base64 with padding: at most 349528 characters, which are 256 KiB. In a line of a ConfigMap the whole"
                        + " line may have 256 KiB, which leaves about 192 KiB of bytes. More goes by a locator.")
        @Size(max = 349_528)
        @Pattern(Rules.BASE64)
        String base64,

        @JsonPropertyDescription(
                "Place of the input, which the handler reads: a URL, or a path in the worker container; at most 1024"
                        + " characters. Quiver does not open it.")
        @Size(min = 1, max = 1024)
        @ValidationRule(value = Rules.IS_ONE_LINE, message = Rules.LOCATOR)
        String locator,

        @JsonPropertyDescription(
                "Format of the input: JSON, Arrow (an IPC stream) or Bytes. Left out, it is JSON for json, else Bytes.")
        Format format) {

    /** The format of the bytes, here or at the locator. */
    public enum Format {
        /** One JSON document in UTF-8. */
        JSON,
        /** An Arrow IPC stream. */
        Arrow,
        /** Unknown. */
        Bytes
    }

    /** A JSON value. */
    public static TaskInput ofJson(JsonNode json) {
        return new TaskInput(json, null, null, null);
    }
}
