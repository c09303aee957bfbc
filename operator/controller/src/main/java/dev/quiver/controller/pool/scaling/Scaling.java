package dev.quiver.controller.pool.scaling;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.worker.SourceLoad;

/**
 * How many pods a pool should have for the work that waits. Pods beyond what the tasks fill are waste. So are pods that
 * would start when the work is almost done. Pure.
 *
 * @param least pods at any time
 * @param most pods at any time
 * @param slots of a pod
 * @param target in which the work should be done
 * @param coolDown for which pods are kept that are needed no more
 */
public record Scaling(int least, int most, int slots, Duration target, Duration coolDown) {

    /** Seconds of a task of a source of which nothing is known. */
    private static final double UNKNOWN_TASK = 0.1;

    /**
     * A pod without a task for so long shows that it cannot take what waits: others like it could not either.
     */
    private static final Duration STALLED = Duration.ofSeconds(10);

    /** The number of pods for this work, now. */
    public Decision decide(List<SourceLoad> loads, Crew crew, ScalingMemory before, Instant now) {
        ScalingMemory seen = before.seen(crew, now);
        boolean idle = seen.idleSince().values().stream()
                .anyMatch(since -> !since.plus(STALLED).isAfter(now));
        Need need = need(loads, crew, idle, seen.start());
        ScalingMemory after = seen.needing(need.pods(), coolDown, now);
        int wanted = need.pods() > crew.pods() ? need.pods() : Math.min(crew.pods(), after.most());
        int desired = bounded(Math.max(wanted, crew.busyPods()));
        return new Decision(desired, Optional.of(need), after.desiring(desired), after.falls(coolDown));
    }

    /** Without figures: the pods stay. A pod that is lost meanwhile is made again. */
    public Decision hold(Crew crew, ScalingMemory before) {
        int desired = bounded(Math.max(crew.pods(), before.desired().orElse(0)));
        return new Decision(desired, Optional.empty(), before, Optional.empty());
    }

    private int bounded(int pods) {
        return Math.min(most, Math.max(least, pods));
    }

    /**
     * Each source counts with what its tasks fill, or with what has them done in time: the less of both. So the work of
     * a source that lets few workers in asks for no pods that would find nothing.
     */
    private Need need(List<SourceLoad> loads, Crew crew, boolean idle, Duration start) {
        double span = Math.max(seconds(target), 2 * seconds(start));
        long queued = 0;
        long untaken = 0;
        long fills = crew.busySlots();
        double work = 0;
        double slotsNeeded = 0;
        for (SourceLoad load : loads) {
            queued += load.claimable();
            if (unserved(load, crew) || idle && stalled(load)) {
                untaken += load.claimable();
                fills += Math.min(1, takeable(load));
                continue;
            }
            double seconds = taskSeconds(load);
            double its = seconds * load.claimable() + seconds * load.running() / 2;
            work += its;
            fills += takeable(load);
            slotsNeeded += Math.min(takeable(load) + load.running(), its / span);
        }
        double pods = fills == 0 ? 0 : Math.max(1, Math.ceil(slotsNeeded / slots));
        double most = Math.min(Integer.MAX_VALUE, Math.ceilDiv(fills, slots));
        return new Need((int) Math.min(most, pods), queued, untaken, Math.round(work));
    }

    /** Tasks that a further pod could take: no more than may run at once, and those for which workers are let in. */
    private long takeable(SourceLoad load) {
        return load.maxWorkers() == 0
                ? load.takeable()
                : Math.min(load.takeable(), slots * Math.max(0, load.maxWorkers() - load.sessions()));
    }

    private static boolean unserved(SourceLoad load, Crew crew) {
        return !load.handler().isEmpty() && crew.heard() && !crew.handlers().contains(load.handler());
    }

    private static boolean stalled(SourceLoad load) {
        return load.sinceProgress()
                .filter(since -> since.compareTo(STALLED) < 0)
                .isEmpty();
    }

    /** By the trials that ended. A running one that takes longer counts too: until one ended, since the first began. */
    private static double taskSeconds(SourceLoad load) {
        double mean = load.trials() > 0 ? seconds(load.runTime()) / load.trials() : UNKNOWN_TASK;
        Optional<Duration> running = load.trials() > 0 ? load.sinceProgress() : load.sinceFirst();
        return load.running() > 0 ? Math.max(mean, running.map(Scaling::seconds).orElse(0.0)) : mean;
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
