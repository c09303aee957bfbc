package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;

/** The waits between the trials of work that failed, of any kind. */
@ValidationRule(
        value = "self.initialSeconds <= self.maxSeconds",
        message = "must be at least initialSeconds",
        fieldPath = ".maxSeconds")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Backoff(
        @JsonPropertyDescription("Wait after the first failed trial, in seconds: 0 to 604800 (a week).")
        @Default("60")
        @Min(0)
        @Max(604_800)
        Integer initialSeconds,

        @JsonPropertyDescription("Each further wait is so many times the one before it: 1 to 10. 1 keeps it constant.")
        @Default("1")
        @Min(1)
        @Max(10)
        Integer factor,

        @JsonPropertyDescription(
                "The longest wait before jitter, in seconds: 0 to 604800 (a week), at least initialSeconds.")
        @Default("3600")
        @Min(0)
        @Max(604_800)
        Integer maxSeconds,

        @JsonPropertyDescription(
                "Up to so many percent of a wait are added to it at random: 0 to 100. It keeps tasks that failed"
                        + " together from coming back together.")
        @Default("0")
        @Min(0)
        @Max(100)
        Integer jitterPercent) {
    /** A minute each time. */
    public static final Backoff DEFAULT = new Backoff(null, null, null, null);

    public Backoff {
        initialSeconds = initialSeconds == null ? 60 : initialSeconds;
        factor = factor == null ? 1 : factor;
        maxSeconds = maxSeconds == null ? 3600 : maxSeconds;
        jitterPercent = jitterPercent == null ? 0 : jitterPercent;
    }
}
