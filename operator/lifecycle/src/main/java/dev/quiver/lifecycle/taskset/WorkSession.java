package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * One supervisor's session. {@link #beat}, {@link #pick}, {@link #awaitWork} and steps of different sets may run on
 * different threads at the same time; one set has one step in flight. Methods throw {@link
 * dev.quiver.lifecycle.StoreUnreachableException} when the outcome is unknown and {@link
 * dev.quiver.lifecycle.StoreRefusedException} when nothing was done.
 */
public interface WorkSession extends AutoCloseable {

    /** Random, never used before. */
    String id();

    /** Uids that {@link #pick(Collection)} can pass over at most. */
    int MAX_SKIPPED = 256;

    /**
     * The next set with claimable work and room for this worker, and moves it back in its pool's order. Follow with a
     * {@linkplain #step step} that claims: the pick itself reserves nothing.
     *
     * @param skipped sets that this worker cannot serve, at most {@link #MAX_SKIPPED}; they keep their place
     */
    PickOutcome pick(Collection<String> skipped);

    /** The next set, whichever it is. */
    default PickOutcome pick() {
        return pick(List.of());
    }

    /**
     * Takes over what the pod's earlier session held in these slots, each task under a new fence, and queues the rest of
     * what that one held again. Call it before the first step, once; when its outcome is unknown, with the same places
     * until there is an answer.
     *
     * @param found slots that run a task or have its result, with their generation; at most 64
     * @return what this session holds now because of it; nothing unless it was opened for adoption
     * @throws IllegalStateException after a step was prepared
     */
    List<Claim> adopt(Collection<Place> found);

    /** What the set's tasks execute; does not change while the set lives. Absent when the set is gone. */
    Optional<ExecutionSpec> spec(String uid);

    /**
     * Prepares a step: settles tasks held of this set and claims up to as many as there are places. Nothing is sent yet.
     *
     * @param settlements at most {@link StepCall#MAX_SETTLEMENTS}
     * @param places where the claimed tasks will go, at most {@link StepCall#MAX_CLAIMS}; empty to claim none
     * @throws IllegalStateException while another step of this set has no known outcome: run that one first
     */
    StepCall prepare(String uid, List<Settlement> settlements, List<Place> places);

    /**
     * Prepares a step and runs it until its outcome is known, with growing pauses of at most a second between tries.
     *
     * @throws dev.quiver.lifecycle.StoreRefusedException when Redis refuses it for a reason that does not pass
     * @throws InterruptedException leaves the step in flight; {@link #pending} has it
     */
    StepOutcome step(String uid, List<Settlement> settlements, List<Place> places) throws InterruptedException;

    /** The step of this set whose outcome is unknown. */
    Optional<StepCall> pending(String uid);

    /**
     * Renews the lease and learns what became of the sets.
     *
     * @param sets those that this session holds tasks of, at most 64
     * @param state for the pool's registry
     */
    BeatOutcome beat(Collection<String> sets, WorkerState state);

    /** A beat of a pod that serves no handler and has no trouble. */
    default BeatOutcome beat(Collection<String> sets, int busySlots, boolean draining) {
        return beat(sets, WorkerState.of(busySlots, draining));
    }

    /**
     * Waits on a connection of its own until the pool has work. A hint: a token without work and none with it are both
     * possible. Returns empty at once after {@link #close}.
     *
     * <p>A token is one worker's: who cannot use it {@linkplain #passOn passes it on}.
     *
     * @param atMost is cut to five seconds. A hungry caller waits again and {@linkplain #pick picks} without a hint only
     *     now and then, about eight times a second for a large pool
     * @return the token: the uid of the set with work if it was the only one, so that there is nothing to pick; any other
     *     text means {@link #pick}. Empty when none came
     */
    Optional<String> awaitWork(Duration atMost);

    /** Puts a token of {@link #awaitWork} back, if there still is work: another worker gets it. Idempotent. */
    void passOn();

    /**
     * Ends the session: what it still holds is taken back, and what was in a slot counts as lost, so give back or settle
     * first. Never throws: when Redis is away the lease ends by itself.
     */
    @Override
    void close();
}
