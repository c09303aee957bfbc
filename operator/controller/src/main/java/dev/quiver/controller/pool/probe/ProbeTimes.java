package dev.quiver.controller.pool.probe;

import java.time.Instant;
import java.util.Optional;

import dev.quiver.controller.pool.probe.ProbeRound.Verdict;
import dev.quiver.crds.v1alpha1.ScheduleProbe;
import dev.quiver.lifecycle.cron.CronTimes;

/**
 * Whether a resource is there at a time. Pure.
 *
 * @param times from which on it is there; absent where the expression or its zone cannot be read
 */
record ProbeTimes(ScheduleProbe schedule, Optional<CronTimes> times, Verdict closed) {

    static ProbeTimes of(ScheduleProbe schedule) {
        try {
            return new ProbeTimes(
                    schedule,
                    Optional.of(CronTimes.of(schedule.cron(), schedule.timeZone())),
                    new Verdict(false, "its schedule has it closed now"));
        } catch (IllegalArgumentException unknown) {
            return new ProbeTimes(schedule, Optional.empty(), new Verdict(false, unknown.getMessage()));
        }
    }

    Verdict at(Instant now) {
        return times.flatMap(opens -> opens.after(now.minus(schedule.lasts())))
                .filter(opens -> !opens.isAfter(now))
                .map(_ -> Verdict.THERE)
                .orElse(closed);
    }
}
