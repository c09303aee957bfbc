package dev.quiver.controller.taskset.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.crds.v1alpha1.TaskSetReason;

/**
 * The next acts of a schedule.
 *
 * @param begin the run to make
 * @param settled up to this time each run that was due has begun or counts as missed, once these acts are done
 * @param missed runs that count as missed from now on
 * @param why the last of them was missed; empty where none was
 * @param next when the next run is due; absent while suspended
 * @param cancel runs to end
 * @param steer runs whose spec is to follow that of the schedule
 * @param forget runs beyond the limits
 * @param stop why no run begins any more; absent while the schedule goes on
 */
record SchedulePlan(
        Optional<Begin> begin,
        Instant settled,
        long missed,
        String why,
        Optional<Instant> next,
        List<ScheduledRun> cancel,
        List<ScheduledRun> steer,
        List<ScheduledRun> forget,
        Optional<Stop> stop) {

    /**
     * A run that is due.
     *
     * @param due when
     * @param refused what holds instead where the API server refuses it: it stays due
     */
    record Begin(Instant due, SchedulePlan refused) {}

    /** The same schedule, which waits. */
    SchedulePlan waits(TaskSetReason reason, String message) {
        return new SchedulePlan(
                begin,
                settled,
                missed,
                why,
                next,
                cancel,
                steer,
                forget,
                Optional.of(new Stop(false, reason, message)));
    }

    /** The same, but its run did not begin. */
    SchedulePlan missed(String reason) {
        return new SchedulePlan(begin, settled, missed + 1, reason, next, cancel, steer, forget, stop);
    }

    /**
     * A schedule that begins no run.
     *
     * @param over whether that is for good
     */
    record Stop(boolean over, TaskSetReason reason, String message) {}
}
