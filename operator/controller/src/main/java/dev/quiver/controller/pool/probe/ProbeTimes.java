package dev.quiver.controller.pool.probe;

import java.time.Instant;

import dev.quiver.controller.pool.probe.ProbeRound.Verdict;
import dev.quiver.crds.v1alpha1.ScheduleProbe;
import dev.quiver.lifecycle.cron.CronTimes;

/** Whether a resource is there at a time. Pure. */
final class ProbeTimes {

    private static final Verdict CLOSED = new Verdict(false, "its schedule has it closed now");

    private ProbeTimes() {}

    static Verdict at(ScheduleProbe schedule, Instant now) {
        try {
            return CronTimes.of(schedule.cron(), schedule.timeZone())
                            .after(now.minus(schedule.lasts()))
                            .filter(opens -> !opens.isAfter(now))
                            .isPresent()
                    ? Verdict.THERE
                    : CLOSED;
        } catch (IllegalArgumentException unknown) {
            return new Verdict(false, unknown.getMessage());
        }
    }
}
