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
                        + " stream, and Bytes anything. A result that is not of this format is recorded as Bytes. JUnit is a"
                        + " report of test cases as JUnit XML, of at most 1 MiB and 10000 cases, which a command writes: a case"
                        + " that failed makes its trial fail, and the record has the cases. Left out,"
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
        Arrow,
        /** A report of test cases as JUnit XML, by which the end of a trial is judged. */
        JUnit
    }

    /** The format that the resource names. */
    public Optional<Format> named() {
        return Optional.ofNullable(format);
    }
}
