package dev.quiver.controller.pool.scaling;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The traces of earlier decisions in the next one. Their loss costs a cool-down: a new leader begins with the pods that there
 * are. Immutable.
 *
 * @param needed pods at the last decision; absent before the first
 * @param window larger needs of before, each until when it held; the latest is the smallest
 * @param desired number of the last decision
 * @param began when the first decision was made; the start of an older pod is not known
 * @param started uids of ready pods, whose start was measured or is not known
 * @param starts of the pods that started last, {@value #STARTS} at most
 * @param idleSince pods without a task, by uid
 */
public record ScalingMemory(
        Optional<Integer> needed,
        List<Past> window,
        Optional<Integer> desired,
        Optional<Instant> began,
        Set<String> started,
        List<Duration> starts,
        Map<String, Instant> idleSince) {

    /** The memory of a pool of which no fact is known. */
    public static final ScalingMemory EMPTY = new ScalingMemory(
            Optional.empty(), List.of(), Optional.empty(), Optional.empty(), Set.of(), List.of(), Map.of());

    private static final int STARTS = 9;

    /** The start of a pod before one was seen. */
    private static final Duration USUAL_START = Duration.ofSeconds(5);

    /** A start counts as no longer: it waited for a node or a large image, which the next pod may not. */
    private static final Duration LONGEST_START = Duration.ofMinutes(5);

    /** A number of pods that was needed until then. */
    public record Past(Instant until, int pods) {}

    /** Copies the collections. */
    public ScalingMemory {
        window = List.copyOf(window);
        started = Set.copyOf(started);
        starts = List.copyOf(starts);
        idleSince = Map.copyOf(idleSince);
    }

    /** The median of the starts that were seen last. */
    Duration start() {
        List<Duration> sorted = new ArrayList<>(starts);
        Collections.sort(sorted);
        return sorted.isEmpty() ? USUAL_START : sorted.get(sorted.size() / 2);
    }

    /** With the pods as they are now: which started, and since when each of them is idle. */
    ScalingMemory seen(Crew crew, Instant now) {
        Instant first = began.orElse(now);
        List<Duration> latest = new ArrayList<>(starts);
        crew.starts().forEach((uid, start) -> {
            if (!started.contains(uid) && !start.created().isBefore(first.truncatedTo(ChronoUnit.SECONDS))) {
                latest.add(start.took().compareTo(LONGEST_START) < 0 ? start.took() : LONGEST_START);
            }
        });
        Map<String, Instant> idle = new HashMap<>();
        crew.idle().forEach(uid -> idle.put(uid, idleSince.getOrDefault(uid, now)));
        return new ScalingMemory(
                needed,
                window,
                desired,
                Optional.of(first),
                crew.starts().keySet(),
                latest.subList(Math.max(0, latest.size() - STARTS), latest.size()),
                idle);
    }

    /** With the need of now; needs that ended before the cool-down are forgotten. */
    ScalingMemory needing(int pods, Duration coolDown, Instant now) {
        Stream<Past> before = Stream.concat(window.stream(), needed.map(last -> new Past(now, last)).stream());
        List<Past> kept = new ArrayList<>();
        before.filter(past -> past.until().plus(coolDown).isAfter(now)).forEach(past -> {
            kept.removeIf(earlier -> earlier.pods() <= past.pods());
            kept.add(past);
        });
        kept.removeIf(past -> past.pods() <= pods);
        return new ScalingMemory(Optional.of(pods), kept, desired, began, started, starts, idleSince);
    }

    ScalingMemory desiring(int pods) {
        return new ScalingMemory(needed, window, Optional.of(pods), began, started, starts, idleSince);
    }

    /** The largest need of the cool-down. */
    int most() {
        return window.stream().findFirst().map(Past::pods).or(() -> needed).orElse(0);
    }

    /** When the largest need leaves the cool-down. */
    Optional<Instant> falls(Duration coolDown) {
        return window.stream().findFirst().map(past -> past.until().plus(coolDown));
    }
}
