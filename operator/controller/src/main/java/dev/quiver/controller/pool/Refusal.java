package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The API server's refusal of a pool's pods, and the time of the next try. The wait is 5 s, doubling to a minute; a
 * changed spec is tried at once. Immutable.
 *
 * @param generation of the spec that was refused
 * @param invalid whether the pod itself is wrong, rather than refused by quota or a policy
 * @param message of the API server
 * @param rounds number of refusals in a row
 * @param until time of the next try
 */
record Refusal(long generation, boolean invalid, String message, int rounds, Instant until) {

    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    static Refusal after(Optional<Refusal> before, long generation, WorkerPods.Creation.Refused no, Instant now) {
        int rounds = before.filter(b -> b.generation() == generation)
                .map(Refusal::rounds)
                .orElse(0);
        Duration delay = FIRST.multipliedBy(1L << Math.min(rounds, 5));
        return new Refusal(
                generation,
                no.no().invalid(),
                no.no().message(),
                rounds + 1,
                now.plus(delay.compareTo(LONGEST) > 0 ? LONGEST : delay));
    }

    /** Whether the next try for pods of this generation is still to come. */
    boolean holds(long currentGeneration, Instant now) {
        return generation == currentGeneration && until.isAfter(now);
    }
}
