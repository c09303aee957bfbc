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

/** Times at which a resource is there, such as the office hours of a system. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ScheduleProbe(
        @JsonPropertyDescription(
                "When the resource comes: minute, hour, day of the month, month and day of the week as in cron, or @hourly,"
                        + " @daily, @weekly, @monthly or @yearly; at most 256 characters.")
        @Required
        @Size(min = 1, max = 256)
        @ValidationRule(value = CronExpression.IS_CRON, message = CronExpression.CRON)
        String cron,

        @JsonPropertyDescription("How long it stays each time, in seconds: 60 to 31536000 (a year).")
        @Required
        @Min(60)
        @Max(31_536_000)
        Integer seconds,

        @JsonPropertyDescription(
                "Time zone of cron, as in the IANA database, such as Europe/Berlin: at most 64 characters.")
        @Default("Etc/UTC")
        @Size(min = 1, max = 64)
        @ValidationRule(value = CronExpression.IS_ZONE, message = CronExpression.ZONE)
        String timeZone) {

    public ScheduleProbe {
        timeZone = timeZone == null ? "Etc/UTC" : timeZone;
    }

    /** {@link #seconds} as a duration. */
    public Duration lasts() {
        return Duration.ofSeconds(seconds);
    }
}
