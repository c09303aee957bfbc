package dev.quiver.controller.pool.probe;

import java.time.Instant;
import java.util.Optional;

import dev.quiver.crds.v1alpha1.ResourceProbe;

/**
 * The memory of a probe, and what follows of it. Before its first verdict a resource stays as it is: after a
 * restart of the operator the last word in Redis counts on. Not thread-safe.
 */
final class ProbeRound {

    /**
     * A word on a resource.
     *
     * @param there whether it is there
     * @param why it is not; empty where it is
     */
    record Verdict(boolean there, String why) {
        static final Verdict THERE = new Verdict(true, "");
    }

    private final ResourceProbe probe;
    private Optional<Verdict> verdict = Optional.empty();
    private int failures;
    private int successes;
    private Instant next = Instant.MIN;
    private boolean asked;

    ProbeRound(ResourceProbe probe) {
        this.probe = probe;
    }

    /** Whether the next request is due; where it is, it counts as under way from now on. */
    boolean begin(Instant now) {
        if (asked || now.isBefore(next)) {
            return false;
        }
        asked = true;
        next = now.plus(probe.period());
        return true;
    }

    /** A request that was begun says nothing; the next one comes when it would have come. */
    void lost() {
        asked = false;
    }

    /**
     * A request has ended.
     *
     * @param failure why it failed; absent where it did not
     */
    void ended(Optional<String> failure) {
        asked = false;
        if (failure.isEmpty()) {
            failures = 0;
            successes = Math.min(successes + 1, probe.successThreshold());
            if (successes == probe.successThreshold()) {
                verdict = Optional.of(Verdict.THERE);
            }
            return;
        }
        successes = 0;
        failures = Math.min(failures + 1, probe.failureThreshold());
        // The first reason stays: a status that tells each one anew would change at each request.
        if (failures == probe.failureThreshold()
                && verdict.filter(word -> !word.there()).isEmpty()) {
            verdict = Optional.of(new Verdict(false, failure.get()));
        }
    }

    /** The last word, once there is one. */
    Optional<Verdict> verdict() {
        return verdict;
    }
}
