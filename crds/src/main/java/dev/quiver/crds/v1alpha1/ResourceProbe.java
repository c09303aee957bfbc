package dev.quiver.crds.v1alpha1;

import java.time.Duration;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;

/** How the operator finds out whether a resource is there. */
@ValidationRule(
        value = "(has(self.httpGet) ? 1 : 0) + (has(self.exec) ? 1 : 0) + (has(self.schedule) ? 1 : 0) == 1",
        message = "must have exactly one of httpGet, exec and schedule")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ResourceProbe(
        @JsonPropertyDescription(
                "Asks a server by HTTP: an answer from 200 to 399 says that the resource is there. The operator asks, not a"
                        + " worker.")
        HttpGetProbe httpGet,

        @JsonPropertyDescription(
                "Calls a function of the pool: one that returns says that the resource is there. Its Task goes"
                        + " before all others, and waits for a worker; meanwhile the last word stays.")
        ExecProbe exec,

        @JsonPropertyDescription(
                "The resource is there at certain times. The four numbers beside it do not count then.")
        ScheduleProbe schedule,

        @JsonPropertyDescription("Seconds from one request or call to the next: 2 to 3600.")
        @Default("10")
        @Min(2)
        @Max(3600)
        Integer periodSeconds,

        @JsonPropertyDescription("Seconds after which a request, or a call that a worker began, has failed: 1 to 10.")
        @Default("1")
        @Min(1)
        @Max(10)
        Integer timeoutSeconds,

        @JsonPropertyDescription("Failures in a row after which the resource is missing: 1 to 100.")
        @Default("3")
        @Min(1)
        @Max(100)
        Integer failureThreshold,

        @JsonPropertyDescription("Successes in a row after which a missing resource is there again: 1 to 100.")
        @Default("1")
        @Min(1)
        @Max(100)
        Integer successThreshold) {

    public ResourceProbe {
        periodSeconds = periodSeconds == null ? 10 : periodSeconds;
        timeoutSeconds = timeoutSeconds == null ? 1 : timeoutSeconds;
        failureThreshold = failureThreshold == null ? 3 : failureThreshold;
        successThreshold = successThreshold == null ? 1 : successThreshold;
    }

    /** {@link #periodSeconds} as a duration. */
    public Duration period() {
        return Duration.ofSeconds(periodSeconds);
    }

    /** {@link #timeoutSeconds} as a duration. */
    public Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }
}
