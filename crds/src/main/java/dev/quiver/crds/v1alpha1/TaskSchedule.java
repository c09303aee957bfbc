package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** When a {@link Task} runs again and again, in the words of a CronJob. */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskSchedule(
        @JsonPropertyDescription(
                "When to run: minute, hour, day of the month, month and day of the week as in cron, or @hourly, @daily,"
                        + " @weekly, @monthly or @yearly; at most 256 characters.")
        @Required
        @Size(min = 1, max = 256)
        @ValidationRule(value = CronExpression.IS_CRON, message = CronExpression.CRON)
        String cron,

        @JsonPropertyDescription(
                "Time zone of cron, as in the IANA database, such as Europe/Berlin: at most 64 characters. Local times that"
                        + " a change of the clock skips do not run; those that it doubles run"
                        + " once, and both times with a * in minute or hour.")
        @Default("Etc/UTC")
        @Size(min = 1, max = 64)
        @ValidationRule(value = CronExpression.IS_ZONE, message = CronExpression.ZONE)
        String timeZone,

        @JsonPropertyDescription(
                "How late a run may start, in seconds: 0 to 31536000 (a year). Of the runs missed within it the last one is"
                        + " made up for; others are counted as missed. Left out, there is no limit.")
        @Min(0)
        @Max(31_536_000)
        Integer startingDeadlineSeconds,

        @JsonPropertyDescription(
                "What happens when a run is due and an earlier one has not ended. Allow lets both run, Forbid skips the new"
                        + " one, Replace cancels the earlier one.")
        @Default("Allow")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ConcurrencyPolicy concurrencyPolicy,

        @JsonPropertyDescription(
                "While true, no run begins; those that have begun go on. Runs missed meanwhile count as missed.")
        @Default("false")
        Boolean suspend,

        @JsonPropertyDescription("How many runs that succeeded are kept with their results: 0 to 10.")
        @Default("3")
        @Min(0)
        @Max(10)
        Integer successfulRunsHistoryLimit,

        @JsonPropertyDescription("How many runs that failed are kept with their errors: 0 to 10.")
        @Default("1")
        @Min(0)
        @Max(10)
        Integer failedRunsHistoryLimit) {
    public TaskSchedule {
        timeZone = timeZone == null ? "Etc/UTC" : timeZone;
        concurrencyPolicy = concurrencyPolicy == null ? ConcurrencyPolicy.Allow : concurrencyPolicy;
        suspend = suspend != null && suspend;
        successfulRunsHistoryLimit = successfulRunsHistoryLimit == null ? 3 : successfulRunsHistoryLimit;
        failedRunsHistoryLimit = failedRunsHistoryLimit == null ? 1 : failedRunsHistoryLimit;
    }

    /** A schedule in UTC. */
    public static TaskSchedule ofCron(String cron) {
        return TaskScheduleBuilder.builder().cron(cron).build();
    }

    /** {@link #startingDeadlineSeconds} as a duration, where there is a limit. */
    public Optional<Duration> startingDeadline() {
        return Optional.ofNullable(startingDeadlineSeconds).map(Duration::ofSeconds);
    }
}
