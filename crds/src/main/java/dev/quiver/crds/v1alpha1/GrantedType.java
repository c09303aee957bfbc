package dev.quiver.crds.v1alpha1;

import java.time.Duration;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** One type of tasks under a granted prefix, and how the pool runs it. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record GrantedType(
        @JsonPropertyDescription(
                "Name of the type, as the programs under the prefix register it: 1 to 128 bytes of UTF-8 without control"
                        + " characters, neither chain nor group.")
        @Required
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        @ValidationRule(
                value = "self != 'chain' && self != 'group'",
                message = "must be neither chain nor group, which every program of idoit has as composites")
        String name,

        @JsonPropertyDescription(
                "Name of the function of the pool's handler process that runs the type: 1 to 128 bytes of UTF-8 without"
                        + " control characters. Left out, it has the name of the type.")
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription("How often a task is tried before it counts as failed: 1 to 100.")
        @Default("2")
        @Min(1)
        @Max(100)
        Integer maxTrials,

        @JsonPropertyDescription("Wait before the next trial, in seconds: 0 to 604800 (a week).")
        @Default("60")
        @Min(0)
        @Max(604_800)
        Integer backoffSeconds,

        @JsonPropertyDescription(
                "How long one trial may take, in seconds: 1 to 604800 (a week). Then it is ended and counts as failed.")
        @Default("120")
        @Min(1)
        @Max(604_800)
        Integer timeoutSeconds) {

    public GrantedType {
        maxTrials = maxTrials == null ? 2 : maxTrials;
        backoffSeconds = backoffSeconds == null ? 60 : backoffSeconds;
        timeoutSeconds = timeoutSeconds == null ? 120 : timeoutSeconds;
    }

    /** The function that runs the type. */
    public String handlerOrName() {
        return handler == null ? name : handler;
    }

    /** {@link #backoffSeconds} as a duration. */
    public Duration backoff() {
        return Duration.ofSeconds(backoffSeconds);
    }

    /** {@link #timeoutSeconds} as a duration. */
    public Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }
}
