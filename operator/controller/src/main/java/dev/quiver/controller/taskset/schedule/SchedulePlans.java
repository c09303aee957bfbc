package dev.quiver.controller.taskset.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.crds.v1alpha1.ConcurrencyPolicy;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetScheduleStatus;
import dev.quiver.lifecycle.cron.CronTimes;

/**
 * Decides the next acts of a schedule. A half-done act is decided again from the facts: a run that exists has begun,
 * whatever the status says. Pure.
 */
final class SchedulePlans {

    /** Runs that go on at a time, at most; further ones are missed. */
    static final int MOST_GOING = 100;

    /** Missed runs that are counted at once; there are not more minutes in a day. */
    private static final int MOST_COUNTED = 1440;

    /** A status that is further ahead was written by a clock that was wrong. */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    private SchedulePlans() {}

    static SchedulePlan of(ScheduleView view) {
        if (view.spec().cancel()) {
            return cancelled(view);
        }
        TaskSchedule schedule = view.schedule();
        CronTimes times;
        try {
            times = CronTimes.of(schedule.cron(), schedule.timeZone());
        } catch (IllegalArgumentException e) {
            String message = "spec.schedule: " + e.getMessage() + ".";
            boolean begun = view.last().isPresent();
            return stopped(
                    view,
                    new SchedulePlan.Stop(
                            !begun,
                            TaskSetReason.ScheduleInvalid,
                            begun ? message + " No run begins until that is mended." : message));
        }
        return settle(view, times);
    }

    private static SchedulePlan cancelled(ScheduleView view) {
        boolean over = view.going().isEmpty();
        SchedulePlan.Stop stop = new SchedulePlan.Stop(
                over,
                TaskSetReason.Cancelled,
                over ? "spec.cancel was set." : "spec.cancel was set; the runs that go on are being ended.");
        return stopped(view, stop);
    }

    private static SchedulePlan stopped(ScheduleView view, SchedulePlan.Stop stop) {
        Instant settled = settled(view).orElse(view.now());
        List<ScheduledRun> cancel = view.spec().cancel() ? uncancelled(view) : List.of();
        List<ScheduledRun> steer = view.spec().cancel() ? List.of() : view.going();
        return new SchedulePlan(
                Optional.empty(), settled, 0, "", Optional.empty(), cancel, steer, forgotten(view), Optional.of(stop));
    }

    private static SchedulePlan settle(ScheduleView view, CronTimes times) {
        Start start = start(view, times);
        Optional<Instant> first = times.after(start.from());
        SchedulePlan nothing = goesOn(
                view,
                Optional.empty(),
                start.from(),
                new Missed(start.missed(), "the schedule was suspended"),
                first,
                List.of());
        if (first.filter(time -> !time.isAfter(view.now())).isEmpty()) {
            return nothing;
        }
        CronTimes.Due due = times.due(first.get(), view.now(), MOST_COUNTED);
        Instant last = due.last();
        if (view.runOf(last).isPresent()) {
            return goesOn(view, Optional.empty(), last, late(start, due), due.next(), List.of());
        }
        return against(view, last)
                .map(why -> goesOn(
                        view,
                        Optional.empty(),
                        last,
                        new Missed(start.missed() + due.count(), why),
                        due.next(),
                        List.of()))
                .orElseGet(() -> goesOn(
                        view,
                        Optional.of(new SchedulePlan.Begin(last, nothing)),
                        last,
                        late(start, due),
                        due.next(),
                        view.schedule().concurrencyPolicy() == ConcurrencyPolicy.Replace
                                ? uncancelled(view)
                                : List.of()));
    }

    /** Runs that were missed, and why the last of them was. */
    private record Missed(long count, String why) {}

    /** Those before the last one that was due. */
    private static Missed late(Start start, CronTimes.Due due) {
        return new Missed(start.missed() + due.count() - 1, "nobody was there to begin it in time");
    }

    private static SchedulePlan goesOn(
            ScheduleView view,
            Optional<SchedulePlan.Begin> begin,
            Instant settled,
            Missed missed,
            Optional<Instant> next,
            List<ScheduledRun> cancel) {
        return new SchedulePlan(
                begin,
                settled,
                missed.count(),
                missed.count() == 0 ? "" : missed.why(),
                next.filter(_ -> !view.resting()),
                cancel,
                view.going(),
                forgotten(view),
                Optional.empty());
    }

    /**
     * Where the times begin that are not settled.
     *
     * @param missed runs before that count as missed
     */
    private record Start(Instant from, long missed) {}

    /** A schedule that was changed, or went on after a rest, begins no run that was due before that. */
    private static Start start(ScheduleView view, CronTimes times) {
        Instant from = settled(view)
                .orElseGet(() -> Instant.parse(view.set().getMetadata().getCreationTimestamp()));
        Optional<Instant> promised =
                view.last().map(TaskSetScheduleStatus::nextScheduleTime).map(Instant::parse);
        boolean rested = view.last().isPresent() && promised.isEmpty() && !view.resting();
        boolean changed = promised.filter(time -> !times.after(from).equals(Optional.of(time)))
                .isPresent();
        if (from.isAfter(view.now().plus(AHEAD))) {
            return new Start(view.now(), 0);
        }
        if (!rested && !changed) {
            return new Start(from, 0);
        }
        Instant now = from.isAfter(view.now()) ? from : view.now();
        long missed = rested
                ? times.after(from)
                        .filter(time -> !time.isAfter(now))
                        .map(time -> times.due(time, now, MOST_COUNTED).count())
                        .orElse(0L)
                : 0;
        return new Start(now, missed);
    }

    private static Optional<Instant> settled(ScheduleView view) {
        return view.last().map(TaskSetScheduleStatus::settledTime).map(Instant::parse);
    }

    /** Why a run that is due does not begin; absent where it may. */
    private static Optional<String> against(ScheduleView view, Instant due) {
        if (view.resting()) {
            return Optional.of("the schedule is suspended");
        }
        boolean late = view.schedule()
                .startingDeadline()
                .filter(limit -> due.plus(limit).isBefore(view.now()))
                .isPresent();
        if (late) {
            return Optional.of("it was later than spec.schedule.startingDeadlineSeconds");
        }
        List<ScheduledRun> going = view.going();
        if (!going.isEmpty() && view.schedule().concurrencyPolicy() == ConcurrencyPolicy.Forbid) {
            return Optional.of(going.getFirst().set().getMetadata().getName()
                    + " went on (spec.schedule.concurrencyPolicy: Forbid)");
        }
        return going.size() < MOST_GOING ? Optional.empty() : Optional.of(MOST_GOING + " runs went on");
    }

    private static List<ScheduledRun> uncancelled(ScheduleView view) {
        return view.going().stream().filter(run -> !run.cancelled()).toList();
    }

    /** Runs beyond the limits. A run that the status does not settle yet stays: without it, its time would run again. */
    private static List<ScheduledRun> forgotten(ScheduleView view) {
        int succeeded = view.schedule().successfulRunsHistoryLimit();
        int failed = view.schedule().failedRunsHistoryLimit();
        Optional<Instant> settled = settled(view);
        List<ScheduledRun> forgotten = new ArrayList<>();
        for (ScheduledRun run : view.runs()) {
            boolean kept = run.goesOn() || (run.succeeded() ? succeeded-- : failed--) > 0;
            if (!kept && settled.filter(time -> !run.due().isAfter(time)).isPresent()) {
                forgotten.add(run);
            }
        }
        return forgotten;
    }
}
