package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;

/** Whose output a {@link RunHistory} keeps. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RunHistoryOutput(
        @JsonPropertyDescription(
                "Whose output is recorded, the last 4096 bytes of stdout and of stderr. Failed is that of trials that did not"
                        + " pass. All is that of each trial that keep records, and None is none.")
        @Default("Failed")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Keep keep) {

    /** Trials with output. An unknown word is read as {@link #Failed}. */
    public enum Keep {
        /** Trials that did not pass. */
        @JsonEnumDefaultValue
        Failed,
        /** Every trial that is recorded. */
        All,
        /** No trial. */
        None
    }

    public RunHistoryOutput {
        keep = keep == null ? Keep.Failed : keep;
    }
}
