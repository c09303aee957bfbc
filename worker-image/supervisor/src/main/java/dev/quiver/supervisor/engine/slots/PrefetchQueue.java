package dev.quiver.supervisor.engine.slots;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Claimed tasks that wait for a slot, oldest first. Bounded by {@link Permits}. Belongs to the engine's thread. */
public final class PrefetchQueue {

    /** A task that waits longer goes back: another pod may have a slot for it. */
    static final Duration LONGEST_WAIT = Duration.ofMillis(250);

    private final ArrayDeque<ClaimedTask> waiting = new ArrayDeque<>();
    private long position;

    public void add(ClaimedTask held) {
        position++;
        held.queuedBehind(waiting.size());
        waiting.addLast(held);
    }

    /** Puts a task in front whose dispatch ended before its turn came. */
    public void putBack(ClaimedTask held, long now) {
        // Not younger than the one behind it: the front alone tells how long anything has waited.
        held.waits(waiting.isEmpty() ? now : Math.min(now, waiting.peekFirst().sinceNanos()));
        held.queuedBehind(0);
        waiting.addFirst(held);
    }

    /** The oldest task and those directly behind it that may be dispatched with it, so many at most. */
    public List<ClaimedTask> oldest(int most) {
        List<ClaimedTask> together = new ArrayList<>(most);
        ClaimedTask first = waiting.peekFirst();
        for (ClaimedTask next : waiting) {
            if (together.size() == most || (next != first && !first.joins(next))) {
                break;
            }
            together.add(next);
        }
        return together;
    }

    public Optional<ClaimedTask> oldest() {
        return Optional.ofNullable(waiting.peekFirst());
    }

    public void removeOldest() {
        waiting.removeFirst();
    }

    public void removeOldest(int tasks) {
        for (int i = 0; i < tasks; i++) {
            waiting.removeFirst();
        }
    }

    public int size() {
        return waiting.size();
    }

    /** Ever growing: names the next place for the record in Redis. */
    public long position() {
        return position;
    }

    /** Removes and returns what is meant. */
    public List<ClaimedTask> take(Predicate<ClaimedTask> meant) {
        List<ClaimedTask> taken = new ArrayList<>();
        for (Iterator<ClaimedTask> each = waiting.iterator(); each.hasNext(); ) {
            ClaimedTask held = each.next();
            if (meant.test(held)) {
                each.remove();
                taken.add(held);
            }
        }
        return taken;
    }

    /** Nanoseconds until the oldest has waited too long; {@link Long#MAX_VALUE} when nothing waits. */
    public long nanosLeft(long now) {
        ClaimedTask oldest = waiting.peekFirst();
        return oldest == null ? Long.MAX_VALUE : Math.max(0, LONGEST_WAIT.toNanos() - (now - oldest.sinceNanos()));
    }
}
