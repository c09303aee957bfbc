package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/** How long a {@link RunHistory} lasts, where that is shorter than in the installation. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RunHistoryRetention(
        @JsonPropertyDescription(
                "How many days the record is kept after the end of the run: 1 to 3650. More days than the installation has"
                        + " count as those of the installation. Left out, they are those.")
        @Min(1)
        @Max(3650)
        Integer days,

        @JsonPropertyDescription(
                "How many of the latest runs of its class are kept: 1 to 100000. More runs than the installation has count as"
                        + " those of the installation. Left out, they are those.")
        @Min(1)
        @Max(100_000)
        Integer runs) {

    /** {@link #days} as a duration, where it is set. */
    public Optional<Duration> age() {
        return Optional.ofNullable(days).map(Duration::ofDays);
    }

    /** {@link #runs}, where it is set. */
    public Optional<Integer> latestRuns() {
        return Optional.ofNullable(runs);
    }
}
