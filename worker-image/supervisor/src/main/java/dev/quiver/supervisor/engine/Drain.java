package dev.quiver.supervisor.engine;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The way from serving to drained: claims stop at once, running tasks may finish until {@code patience} is over, then
 * they are stopped and given back. Pure; times are nanoseconds of one monotonic clock.
 */
final class Drain {

    /** How long stopped tasks may take to leave their slots: TERM, the agent's grace, KILL, cleaning. */
    static final Duration FORCE_LIMIT = Duration.ofSeconds(8);

    /** How long telling Redis of the rest may take. */
    static final Duration ABANDON_LIMIT = Duration.ofSeconds(2);

    private final Duration patience;
    private final Set<DrainCause> causes = EnumSet.noneOf(DrainCause.class);
    private DrainState state = DrainState.SERVING;
    private long since;

    Drain(Duration patience) {
        this.patience = patience;
    }

    DrainState state() {
        return state;
    }

    boolean claims() {
        return state == DrainState.SERVING;
    }

    /** Whether nobody can take it back any more. */
    boolean isFinal() {
        return causes.stream().anyMatch(cause -> cause != DrainCause.OPERATOR);
    }

    /** Asks for the drain; a second cause does not restart the clock. Returns whether claims stop because of it. */
    boolean request(DrainCause cause, long now) {
        causes.add(cause);
        if (state != DrainState.SERVING) {
            return false;
        }
        state = DrainState.DRAINING;
        since = now;
        return true;
    }

    /** Takes the operator's flag back; serving again if nobody else asked. Returns whether claims begin again. */
    boolean withdraw() {
        if (!causes.remove(DrainCause.OPERATOR) || !causes.isEmpty()) {
            return false;
        }
        state = DrainState.SERVING;
        return true;
    }

    /**
     * Goes on by one state if time or facts allow it, so that none is skipped, and returns the state.
     *
     * @param held tasks that this supervisor still answers for
     */
    DrainState advance(long now, int held) {
        if (state == DrainState.SERVING || state == DrainState.DRAINED) {
            return state;
        }
        if (held == 0) {
            state = DrainState.DRAINED;
        } else if (nanosUntil(state.next(), now) <= 0) {
            state = state.next();
        }
        return state;
    }

    /** Nanoseconds until {@link #advance} can change the state by time alone; {@link Long#MAX_VALUE} if never. */
    long nanosLeft(long now) {
        return state == DrainState.SERVING || state == DrainState.DRAINED
                ? Long.MAX_VALUE
                : Math.max(0, nanosUntil(state.next(), now));
    }

    private long nanosUntil(DrainState later, long now) {
        Duration limit = switch (later) {
            case SERVING, DRAINING -> Duration.ZERO;
            case FORCING -> patience;
            case ABANDONING -> patience.plus(FORCE_LIMIT);
            case DRAINED -> patience.plus(FORCE_LIMIT).plus(ABANDON_LIMIT);
        };
        return limit.toNanos() - (now - since);
    }
}
