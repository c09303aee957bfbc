package dev.quiver.crds.v1alpha1;

import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** The results of the tasks of a set, as their record names them. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskTemplateResult(
        @JsonPropertyDescription(
                "Format of what a task returns, or writes to QUIVER_OUTPUT: Json is one JSON document in UTF-8, Arrow an IPC"
                        + " stream, and Bytes anything. A result that is not of this format is recorded as Bytes. Left out,"
                        + " it is the format that a function names, and Json for bytes that are a JSON document.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        Format format) {

    /** A format of results. An unknown word is read as none. */
    public enum Format {
        /** One JSON document in UTF-8. */
        Json,
        /** Anything. */
        Bytes,
        /** An Arrow IPC stream. */
        Arrow
    }

    /** The format that the resource names. */
    public Optional<Format> named() {
        return Optional.ofNullable(format);
    }
}
