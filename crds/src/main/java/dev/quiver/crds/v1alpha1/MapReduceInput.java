package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * The input of a {@link MapReduceJob}: exactly one of the first four. The schema requires this by {@code oneOf}, because a
 * rule cannot see a field of any type. With base64 and locator map gets an object, in the words in which a Task passes
 * bytes on: {@code {"base64": …, "format": "Bytes"}}.
 */
@ValidationRule(
        value = "[has(self.base64), has(self.locator), has(self.configMapKeyRef)].filter(there, there).size() <= 1",
        message = "must have exactly one of json, base64, locator and configMapKeyRef")
@ValidationRule(
        value = "!has(self.format) || has(self.base64) || has(self.locator)"
                + " || self.format == 'JSON' && !has(self.configMapKeyRef)",
        message =
                "must be JSON or absent with json, and absent with configMapKeyRef; base64 and locator may also be Arrow or Bytes",
        fieldPath = ".format")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MapReduceInput(
        @JsonPropertyDescription("Any JSON value, as written here: at most 256 KiB as compact JSON.")
        JsonNode json,

        @JsonPropertyDescription(
                "Bytes in base64 with padding: at most 262112 characters, which are 196584 bytes. map gets the object"
                        + " {base64, format}. More goes by a locator. Only with map.")
        @Size(max = MapReduceInput.MAX_BASE64)
        @Pattern(Rules.BASE64)
        String base64,

        @JsonPropertyDescription(
                "Place of the input, which map reads: a URL, or a path in the worker container; at most 4096 characters. map"
                        + " gets the object {locator, format}. Quiver does not open it. Only with map.")
        @Size(min = 1, max = MapReduceInput.MAX_LOCATOR)
        @ValidationRule(value = Rules.IS_ONE_LINE, message = Rules.LOCATOR)
        String locator,

        @JsonPropertyDescription(
                "Key of a ConfigMap of the same namespace whose text is the input: as JSON where it is JSON, else as a text. It"
                        + " is read when the job is accepted.")
        ConfigMapKeyRef configMapKeyRef,

        @JsonPropertyDescription(
                "Format of the bytes, here or at the locator: JSON, Arrow (an IPC stream) or Bytes. Left out, it is JSON for"
                        + " json, else Bytes.")
        TaskInput.Format format) {

    /** The bytes of an input at most, as compact JSON. */
    public static final int MAX_BYTES = 262_144;

    /** The characters of base64 at most: with its format it is an object of at most {@link #MAX_BYTES}. */
    public static final int MAX_BASE64 = 262_112;

    /** The characters of a locator at most. */
    public static final int MAX_LOCATOR = 4096;

    /** A JSON value. */
    public static MapReduceInput ofJson(JsonNode json) {
        return new MapReduceInput(json, null, null, null, null);
    }

    /** Bytes in base64. */
    public static MapReduceInput ofBase64(String base64, TaskInput.Format format) {
        return new MapReduceInput(null, base64, null, null, format);
    }

    /** The place of the input. */
    public static MapReduceInput ofLocator(String locator, TaskInput.Format format) {
        return new MapReduceInput(null, null, locator, null, format);
    }

    /** The text of a ConfigMap. */
    public static MapReduceInput ofConfigMap(ConfigMapKeyRef key) {
        return new MapReduceInput(null, null, null, key, null);
    }

    /** The format of base64 or of what lies at the locator. */
    public TaskInput.Format formatOrDefault() {
        return format == null ? TaskInput.Format.Bytes : format;
    }
}
