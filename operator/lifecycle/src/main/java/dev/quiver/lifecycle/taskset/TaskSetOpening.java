package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;

/**
 * The facts with which a TaskSet is opened.
 *
 * @param uid the resource's uid
 * @param pool the name of the WorkerPool that serves the set
 * @param spec the specification of its tasks. Kept in Redis, at most 640 KiB as JSON: 256 KiB, and as much as the
 *     longest inline input takes in base64
 * @param limits when trials, tasks and the set end
 * @param maxWorkers sessions that may work at the set at once; 0 for no bound
 * @param priority −99999 to 99999; higher is picked first among the sets of a pool
 * @param suspended opened without giving tasks out and without its deadline running
 * @param sourceHash of the source as it was read, which the status shows; at most 64 characters, may be empty
 * @param order in which its first tasks are given out; absent: in that of their numbers. A set that is open keeps its own
 * @param record how the run is recorded; absent where it is not
 * @param gated whether it names resources: it gives nothing out before {@code SourcePlaces} gave it its place
 */
public record TaskSetOpening(
        String uid,
        String pool,
        ExecutionSpec spec,
        TaskSetLimits limits,
        int maxWorkers,
        int priority,
        boolean suspended,
        String sourceHash,
        Optional<ClaimOrder> order,
        Optional<RunRecord> record,
        boolean gated) {

    /** Checks presence and bounds. */
    public TaskSetOpening {
        TaskSetKeys.checkUid(uid);
        Objects.requireNonNull(pool, "pool");
        Objects.requireNonNull(spec, "spec");
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(sourceHash, "sourceHash");
        Objects.requireNonNull(order, "order");
        if (maxWorkers < 0) {
            throw new IllegalArgumentException("maxWorkers must not be negative: " + maxWorkers);
        }
        if (Math.abs(priority) > 99_999) {
            throw new IllegalArgumentException("priority must be within -99999 and 99999: " + priority);
        }
    }

    /** An opening that is not recorded. */
    public TaskSetOpening(
            String uid,
            String pool,
            ExecutionSpec spec,
            TaskSetLimits limits,
            int maxWorkers,
            int priority,
            boolean suspended) {
        this(uid, pool, spec, limits, maxWorkers, priority, suspended, "", Optional.empty(), Optional.empty(), false);
    }

    /** The same, recorded so. */
    public TaskSetOpening recorded(Optional<RunRecord> how) {
        return new TaskSetOpening(
                uid, pool, spec, limits, maxWorkers, priority, suspended, sourceHash, order, how, gated);
    }

    /** The same with that order. */
    public TaskSetOpening ordered(Optional<ClaimOrder> by) {
        return new TaskSetOpening(
                uid, pool, spec, limits, maxWorkers, priority, suspended, sourceHash, by, record, gated);
    }

    /** The same that waits for its place, where it names resources. */
    public TaskSetOpening gated(boolean names) {
        return new TaskSetOpening(
                uid, pool, spec, limits, maxWorkers, priority, suspended, sourceHash, order, record, names);
    }

    /** The same whose tasks may run twice at the same time, or may not. */
    public TaskSetOpening speculating(boolean twice) {
        return new TaskSetOpening(
                uid,
                pool,
                spec.speculating(twice),
                limits,
                maxWorkers,
                priority,
                suspended,
                sourceHash,
                order,
                record,
                gated);
    }

    /** An opening at priority 0, not suspended, without a bound of workers. */
    public static TaskSetOpening of(String uid, String pool, ExecutionSpec spec, TaskSetLimits limits) {
        return new TaskSetOpening(uid, pool, spec, limits, 0, 0, false);
    }

    /** The time after which the set's own clock ends it; zero for never. */
    public Duration activeDeadline() {
        return limits.activeDeadline();
    }
}
