package dev.quiver.crds.v1alpha1;

import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;

/**
 * The part of a run that goes into its record. Redis forgets a run soon after its end; the record is for people and
 * programs that ask later. An installation without history keeps none. An unknown word of an enum is read as its default.
 */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RunHistory(
        @JsonPropertyDescription(
                "Which trials are recorded. All is each one. Failures is those that did not pass, and the others are counted."
                        + " None keeps no record of the run.")
        @Default("All")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Keep keep,

        @JsonPropertyDescription("Whose output is recorded.")
        RunHistoryOutput output,

        @JsonPropertyDescription(
                "Whose results are recorded, where they have at most 256 KiB. None is no result, Json those that are JSON,"
                        + " All those of any format.")
        @Default("None")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Results results,

        @JsonPropertyDescription(
                "Whether a trial that passed has its processor time and its memory in the record. Other trials always have"
                        + " them.")
        @Default("false")
        Boolean resources,

        @JsonPropertyDescription(
                "What happens while Redis has no room for more of the record. Forget records less and counts the trials that"
                        + " are missing. Wait, of a TaskSet alone, gives out no task until there is room.")
        @Default("Forget")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        WhenFull whenFull,

        @JsonPropertyDescription(
                "What happens to the record when the resource is deleted, by a person or by its time to live. Keep leaves it."
                        + " Forget removes it with all that belongs to it; of a schedule the record of every run.")
        @Default("Keep")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        OnDelete onDelete,

        @JsonPropertyDescription("How long the record is kept, at most as long as the installation keeps one.")
        RunHistoryRetention retention) {

    /** Every trial, the output of those that did not pass, no result, for as long as the installation keeps it. */
    public static final RunHistory DEFAULT = new RunHistory(null, null, null, null, null, null, null);

    /** Trials with a record of their own. */
    public enum Keep {
        /** Every trial. */
        @JsonEnumDefaultValue
        All,
        /** Trials that did not pass. Passes are counted. */
        Failures,
        /** No trial: the run has no record. */
        None
    }

    /** Trials whose small results are recorded. */
    public enum Results {
        /** No trial. */
        @JsonEnumDefaultValue
        None,
        /** Those whose result is JSON. */
        Json,
        /** Those with a result of any format. */
        All
    }

    /** The reaction to a stream of records that is full. */
    public enum WhenFull {
        /** The run goes on; trials that are not recorded are counted. */
        @JsonEnumDefaultValue
        Forget,
        /** Tasks wait for room. */
        Wait
    }

    /** The fate of a record whose resource is deleted. */
    public enum OnDelete {
        /** It stays as long as the installation keeps one. */
        @JsonEnumDefaultValue
        Keep,
        /** It goes. */
        Forget
    }

    public RunHistory {
        keep = keep == null ? Keep.All : keep;
        output = output == null ? new RunHistoryOutput(null) : output;
        results = results == null ? Results.None : results;
        resources = resources != null && resources;
        whenFull = whenFull == null ? WhenFull.Forget : whenFull;
        onDelete = onDelete == null ? OnDelete.Keep : onDelete;
    }

    /** Whether the record goes with its resource. */
    public boolean forgets() {
        return keep != Keep.None && onDelete == OnDelete.Forget;
    }

    /** Bounds of its own, which count where they are narrower than those of the installation. */
    public Optional<RunHistoryRetention> ownRetention() {
        return Optional.ofNullable(retention);
    }
}
