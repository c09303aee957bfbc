package dev.quiver.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.results.TaskOutcomes;

/**
 * Looks which of the awaited jobs have ended: one virtual thread for all of a client, and only while somebody waits. It
 * looks at the first of them, page by page, and more seldom while nothing ends. Thread-safe.
 */
final class Endings {

    private static final int PAGES = 4;
    private static final Duration SHORTEST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final TaskOutcomes outcomes;
    private final Map<String, CompletableFuture<Void>> awaited = new LinkedHashMap<>();
    private boolean looking;
    private Duration pause = SHORTEST;
    private Thread looker;
    private boolean closed;

    Endings(TaskOutcomes outcomes) {
        this.outcomes = outcomes;
    }

    synchronized CompletableFuture<Void> of(String id) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("the client was closed"));
        }
        CompletableFuture<Void> future = awaited.computeIfAbsent(id, first -> new CompletableFuture<>());
        if (!looking) {
            looking = true;
            looker = Thread.ofVirtual().name("quiver-client-endings").start(this::look);
        } else if (pause.compareTo(SHORTEST) > 0) {
            pause = SHORTEST; // a new one may end sooner than those that have been waited for
            LockSupport.unpark(looker);
        }
        return future;
    }

    /** Those that wait are told that nobody looks any more. */
    synchronized void close() {
        closed = true;
        awaited.values()
                .forEach(future -> future.completeExceptionally(new IllegalStateException("the client was closed")));
        awaited.clear();
    }

    private void look() {
        int unseen = size();
        while (true) {
            List<String> asked = first();
            if (asked.isEmpty()) {
                return;
            }
            boolean some = false;
            try {
                some = tell(asked);
            } catch (StoreException e) {
                fail(asked, e);
            }
            unseen -= asked.size();
            if (some || unseen <= 0) {
                LockSupport.parkNanos(pause(some).toNanos());
                unseen = some ? unseen : Math.min(size(), PAGES * TaskOutcomes.PAGE);
            }
        }
    }

    /** None behind an ending; else longer each time. */
    private synchronized Duration pause(boolean some) {
        if (some) {
            pause = SHORTEST;
            return Duration.ZERO;
        }
        Duration now = pause;
        Duration longer = pause.multipliedBy(3).dividedBy(2);
        pause = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        return now;
    }

    private synchronized int size() {
        return awaited.size();
    }

    /** The first ids, which go behind the others; nothing when nobody waits any more. */
    private synchronized List<String> first() {
        awaited.values().removeIf(CompletableFuture::isDone);
        Map<String, CompletableFuture<Void>> some = new LinkedHashMap<>();
        Iterator<Map.Entry<String, CompletableFuture<Void>>> all =
                awaited.entrySet().iterator();
        while (all.hasNext() && some.size() < PAGES * TaskOutcomes.PAGE) {
            var entry = all.next();
            some.put(entry.getKey(), entry.getValue());
            all.remove();
        }
        awaited.putAll(some);
        looking = !some.isEmpty();
        return new ArrayList<>(some.keySet());
    }

    private boolean tell(List<String> asked) {
        List<CompletableFuture<Void>> ended = new ArrayList<>();
        Map<String, Optional<TreeState.State>> states = outcomes.states(asked);
        synchronized (this) {
            states.forEach((id, state) -> {
                if (state.map(TreeState.State::isOver).orElse(true)) {
                    Optional.ofNullable(awaited.remove(id)).ifPresent(ended::add);
                }
            });
        }
        ended.forEach(future -> future.complete(null));
        return !ended.isEmpty();
    }

    /** A refusal that does not pass is the end of the wait; all else is tried again. */
    private synchronized void fail(List<String> asked, StoreException problem) {
        if (problem instanceof StoreRefusedException refused && !refused.passing()) {
            asked.forEach(id ->
                    Optional.ofNullable(awaited.remove(id)).ifPresent(future -> future.completeExceptionally(problem)));
        }
    }
}
