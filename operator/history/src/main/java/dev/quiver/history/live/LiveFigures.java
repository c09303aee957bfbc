package dev.quiver.history.live;

import java.util.Optional;

/**
 * The counters of a TaskSet that is not over.
 *
 * @param status its state: running or suspended
 * @param total known tasks
 * @param queued tasks that wait
 * @param running tasks that a worker has
 * @param succeeded tasks that passed
 * @param failed tasks that ended otherwise
 * @param trials trials that counted
 * @param lost losses
 * @param workers sessions that work at it
 * @param progressAt when a task was last given out or settled, milliseconds since 1970
 * @param at time of Redis, milliseconds since 1970
 */
public record LiveFigures(
        String status,
        long total,
        long queued,
        long running,
        long succeeded,
        long failed,
        long trials,
        long lost,
        int workers,
        Optional<Long> progressAt,
        long at) {}
