package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;

/** Whose output a {@link RunHistory} keeps, and how much of it. */
@ValidationRule(
        value = "!has(self.limit) || isQuantity(string(self.limit)) && quantity(string(self.limit)).isInteger()"
                + " && quantity(string(self.limit)).compareTo(quantity('16Ki')) >= 0"
                + " && quantity(string(self.limit)).compareTo(quantity('1Gi')) <= 0",
        message = "must be a quantity of whole bytes from 16Ki to 1Gi",
        fieldPath = ".limit")
@ValidationRule(
        value = "!has(self.full) || !self.full || !has(self.keep) || self.keep != 'None'",
        message = "needs keep Failed or All: with None no output is recorded",
        fieldPath = ".full")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RunHistoryOutput(
        @JsonPropertyDescription(
                "Whose output is recorded, the last 4096 bytes of stdout and of stderr. Failed is that of trials that did not"
                        + " pass. All is that of each trial that keep records, and None is none.")
        @Default("Failed")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Keep keep,

        @JsonPropertyDescription(
                "Whether all that these trials print is recorded as well, stdout and stderr each up to limit. A"
                        + " function's tasks then come to it one at a time.")
        @Default("false")
        Boolean full,

        @JsonPropertyDescription(
                "With full: bytes of a stream at most, a quantity from 16Ki to 1Gi. Of a longer stream the first 1Mi and the end"
                        + " are recorded, and a line between them has both sizes. Space for it is on the node's disk.")
        @Default("8Mi")
        Quantity limit) {

    private static final int KIB = 1024;

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
        full = full != null && full;
        limit = limit == null ? new Quantity("8Mi") : limit;
    }

    /** Output of these trials, of which the ends are recorded. */
    public RunHistoryOutput(Keep keep) {
        this(keep, null, null);
    }

    /** KiB of each stream that are recorded, at most; 0: its end alone. */
    public int streamKib() {
        long bytes = Quantity.getAmountInBytes(limit).longValueExact();
        return full ? (int) ((bytes + KIB - 1) / KIB) : 0;
    }
}
