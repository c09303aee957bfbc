package dev.quiver.controller.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import dev.quiver.lifecycle.worker.SourceLoad;

/**
 * The tasks of a pool by state, as Redis had them at one moment. A tenant may have written the numbers; each source's
 * are bounded. Pure.
 *
 * @param queued tasks that a worker may take now
 * @param delayed tasks that wait for their retry time, for a resource, or for a permit of one
 * @param blocked tasks that wait for a limit of their run on workers or on tasks at a time
 * @param running tasks that workers hold
 * @param queuedSince since when some task was queued at each look; absent while none is
 * @param stalled since a task was last given out while one was queued; zero while none is
 */
public record PoolQueue(
        long queued, long delayed, long blocked, long running, Optional<Instant> queuedSince, Duration stalled) {

    /** A pool without tasks. */
    static final PoolQueue EMPTY = new PoolQueue(0, 0, 0, 0, Optional.empty(), Duration.ZERO);

    /**
     * The queue of a pool.
     *
     * @param ready sources that a further worker could take tasks of
     * @param others sources that had tasks before
     * @param before the queue at the last look
     */
    static PoolQueue of(List<SourceLoad> ready, List<SourceLoad> others, PoolQueue before, Instant now) {
        long queued = sum(ready, SourceLoad::takeable);
        // A source out of the order whose tasks do not run is suspended: nothing of it waits for a worker.
        long blocked = sum(ready, load -> load.claimable() - load.takeable())
                + sum(others, load -> load.running() == 0 ? 0 : load.claimable());
        Optional<Instant> since =
                queued == 0 ? Optional.empty() : before.queuedSince().or(() -> Optional.of(now));
        return new PoolQueue(
                queued,
                sum(ready, SourceLoad::delayed) + sum(others, SourceLoad::delayed),
                blocked,
                sum(ready, SourceLoad::running) + sum(others, SourceLoad::running),
                since,
                since.map(first -> stalled(ready, others, Duration.between(first, now)))
                        .orElse(Duration.ZERO));
    }

    /**
     * The same with so many running tasks at least. A run whose tasks were all taken between two looks stood in no order
     * that was read.
     */
    public PoolQueue withRunning(long least) {
        return new PoolQueue(queued, delayed, blocked, Math.max(running, least), queuedSince, stalled);
    }

    /** A source that stood idle before its present tasks came has an old time of progress, too. */
    private static Duration stalled(List<SourceLoad> ready, List<SourceLoad> others, Duration waits) {
        return Stream.of(ready, others)
                .flatMap(List::stream)
                .flatMap(load -> load.sinceProgress().stream())
                .min(Comparator.naturalOrder())
                .filter(progress -> progress.compareTo(waits) < 0)
                .orElse(waits);
    }

    private static long sum(List<SourceLoad> loads, ToLongFunction<SourceLoad> number) {
        return loads.stream().mapToLong(number).sum();
    }
}
