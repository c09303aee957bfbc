package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;

/**
 * The part of the tasks that programs create by themselves which goes into the record: one run for each hour of a pool. An
 * installation without history keeps none.
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record PoolHistory(
        @JsonPropertyDescription(
                "Which trials of tasks without a resource are recorded, in one run for each hour. Failures is those that did"
                        + " not succeed, and the others are counted. All is each one. None keeps no record.")
        @Default("Failures")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Keep keep) {

    /** Failed trials, and the number of the others. */
    public static final PoolHistory DEFAULT = new PoolHistory(null);

    /** Trials with a record of their own. An unknown word is read as {@link #Failures}. */
    public enum Keep {
        /** Those that did not succeed. */
        @JsonEnumDefaultValue
        Failures,
        /** Every one. */
        All,
        /** No trial: there is no record. */
        None
    }

    public PoolHistory {
        keep = keep == null ? Keep.Failures : keep;
    }
}
