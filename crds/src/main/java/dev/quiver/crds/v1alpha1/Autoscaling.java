package dev.quiver.crds.v1alpha1;

import java.time.Duration;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/** How far a pool may grow above its replicas while there is work, and how soon it gives pods back. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Autoscaling(
        @JsonPropertyDescription("The most worker pods while there is work: 1 to 1000, and not less than replicas.")
        @Required
        @Min(1)
        @Max(1000)
        Integer maxReplicas,

        @JsonPropertyDescription(
                "Scale makes and removes pods. Report only shows in status.desiredReplicas how many pods there should be:"
                        + " for an autoscaler that writes replicas by this number.")
        @Default("Scale")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Mode mode,

        @JsonPropertyDescription(
                "In how many seconds the work that waits should be done: 1 to 3600. A higher number makes fewer pods, and"
                        + " tasks wait longer. The time that a pod needs to start counts twice where it is longer.")
        @Default("30")
        @Min(1)
        @Max(3600)
        Integer targetSeconds,

        @JsonPropertyDescription(
                "For how many seconds pods are kept that the work needs no more: 0 to 3600. A pod with a running task is"
                        + " never removed.")
        @Default("30")
        @Min(0)
        @Max(3600)
        Integer coolDownSeconds) {

    /** The use of the number. An unknown word is read as {@link #Report}, which changes no pod. */
    public enum Mode {
        /** The operator makes and removes pods. */
        Scale,
        /** The number is only shown. */
        @JsonEnumDefaultValue
        Report
    }

    public Autoscaling {
        mode = mode == null ? Mode.Scale : mode;
        targetSeconds = targetSeconds == null ? 30 : targetSeconds;
        coolDownSeconds = coolDownSeconds == null ? 30 : coolDownSeconds;
    }

    /** {@link #targetSeconds} as a duration. */
    public Duration target() {
        return Duration.ofSeconds(targetSeconds);
    }

    /** {@link #coolDownSeconds} as a duration. */
    public Duration coolDown() {
        return Duration.ofSeconds(coolDownSeconds);
    }
}
