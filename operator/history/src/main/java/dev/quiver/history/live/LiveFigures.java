package dev.quiver.history.live;

import java.util.Optional;

/**
 * The counters of a run that is not over.
 *
 * @param status its state: waiting, running or suspended; of one whose end is not recorded yet that of its end
 * @param total known tasks
 * @param queued tasks that wait; absent where nobody counts them
 * @param running tasks that a worker has; absent where nobody counts them
 * @param succeeded tasks that passed
 * @param pending tasks that ended pending
 * @param failed tasks that ended otherwise
 * @param trials trials that counted
 * @param lost losses
 * @param workers sessions that work at it; absent where nobody counts them
 * @param progressAt when a task was last given out or settled, milliseconds since 1970; absent where nobody knows
 * @param at time of Redis, milliseconds since 1970
 */
public record LiveFigures(
        String status,
        long total,
        Optional<Long> queued,
        Optional<Long> running,
        long succeeded,
        long pending,
        long failed,
        long trials,
        long lost,
        Optional<Integer> workers,
        Optional<Long> progressAt,
        long at) {}
