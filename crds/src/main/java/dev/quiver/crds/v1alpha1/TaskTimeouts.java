package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/** Limits of a trial that follow from how long its task usually takes. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskTimeouts(
        @JsonPropertyDescription(
                "A task that earlier runs know is asked to end after twice its usual time, and no sooner than after so many"
                        + " seconds: 1 to 604800 (a week).")
        @Default("30")
        @Min(1)
        @Max(604_800)
        Integer leastSeconds,

        @JsonPropertyDescription(
                "A task that no run knows is asked to end after so many seconds: 1 to 604800 (a week). The last trial of any"
                        + " task has at least as long.")
        @Default("300")
        @Min(1)
        @Max(604_800)
        Integer unknownSeconds) {

    private static final int LEAST = 30;
    private static final int UNKNOWN = 300;

    public TaskTimeouts {
        leastSeconds = leastSeconds == null ? LEAST : leastSeconds;
        unknownSeconds = unknownSeconds == null ? UNKNOWN : unknownSeconds;
    }
}
