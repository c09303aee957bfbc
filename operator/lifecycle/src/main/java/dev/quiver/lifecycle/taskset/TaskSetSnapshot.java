package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.soabase.recordbuilder.core.RecordBuilder;

import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * A TaskSet's counters and status at one moment. Always {@code total = queued + running + succeeded + failed + void},
 * where {@code void} are the tasks that a final set left undone.
 *
 * @param uid the set
 * @param pool the pool that serves the set
 * @param status state of the set
 * @param reason PascalCase word of a final status, else empty: AllTasksSucceeded, TasksFailed, MaxFailedTasksExceeded,
 *     DeadlineExceeded, Cancelled, or the operator's own
 * @param message the operator's message of {@link StatusChange.Fail}, else empty
 * @param total known tasks: all of them once {@code sourceClosed}
 * @param sourceClosed whether no further task can be fed
 * @param queued tasks that wait for a worker or for their retry time; 0 when final
 * @param running tasks held by a session; 0 when final
 * @param succeeded tasks that passed
 * @param pending those of them that ended pending
 * @param speculated copies of running tasks that were begun
 * @param failed tasks that ended without passing
 * @param trials settled runs, passed or failed
 * @param lost runs whose session ended or whose executor died under them
 * @param workers sessions that work at the set
 * @param createdAt when the set was opened
 * @param startedAt when its deadline began to run: open or the last resume; absent while it never ran
 * @param finishedAt when the set became final
 * @param progressAt when a task was last claimed or settled
 * @param runTime sum of the run times of all settled trials, as one worker would have needed
 * @param passedRunTime sum of the run times of passed trials; divided by {@code succeeded} the mean for an ETA
 * @param storeTime the time of Redis at this snapshot
 * @param sourceHash of the source as it was read; absent for sets of earlier releases
 * @param order how far the set is in its order; absent for one that goes by the numbers of its tasks
 * @param gate the resource for which it waits; empty while it waits for its place; absent where it waits for none
 * @param failures at most 8, first those of failed tasks, in order of their index
 */
@RecordBuilder
public record TaskSetSnapshot(
        String uid,
        String pool,
        TaskSetState status,
        String reason,
        String message,
        long total,
        boolean sourceClosed,
        long queued,
        long running,
        long succeeded,
        long pending,
        long speculated,
        long failed,
        long trials,
        long lost,
        int workers,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt,
        Optional<Instant> progressAt,
        Duration runTime,
        Duration passedRunTime,
        Instant storeTime,
        Optional<String> sourceHash,
        Optional<OrderProgress> order,
        Optional<String> gate,
        List<TrialFailure> failures) {}
