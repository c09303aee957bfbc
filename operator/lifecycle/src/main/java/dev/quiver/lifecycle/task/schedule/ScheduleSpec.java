package dev.quiver.lifecycle.task.schedule;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.cron.CronTimes;

/**
 * When a tree is made again and again, and how many of its runs stay.
 *
 * @param cron as {@link CronTimes} reads it
 * @param zone as in the IANA database
 * @param startingDeadline how late a run may begin; absent: as late as may be
 * @param policy for a run that is due while an earlier one goes on
 * @param suspended whether all runs that come due are missed
 * @param keepSucceeded runs that stay after a good end
 * @param keepFailed the same after another end
 */
public record ScheduleSpec(
        String cron,
        String zone,
        Optional<Duration> startingDeadline,
        Policy policy,
        boolean suspended,
        int keepSucceeded,
        int keepFailed) {

    /** The reaction to an earlier run that goes on. */
    public enum Policy {
        /** Both go on. */
        ALLOW("Allow"),
        /** The new one is missed. */
        FORBID("Forbid"),
        /** The earlier one is cancelled. */
        REPLACE("Replace");

        private final String word;

        Policy(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /** One that lets runs overlap, with the usual limits. */
    public static ScheduleSpec of(String cron, String zone) {
        return new ScheduleSpec(cron, zone, Optional.empty(), Policy.ALLOW, false, 3, 1);
    }
}
