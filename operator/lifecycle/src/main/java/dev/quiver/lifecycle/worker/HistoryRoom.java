package dev.quiver.lifecycle.worker;

/** How much room the record's stream had at the last answer of a session. Thread-safe. */
public final class HistoryRoom {

    private static final int NO_TAILS = 1;
    private static final int NO_PASSES = 2;

    private volatile int level;

    /** Takes the level of an answer, see {@code history/record}; a negative one is unknown. */
    public void learned(long now) {
        level = now < 0 ? level : Math.toIntExact(now);
    }

    /** Whether tails of output are recorded. */
    boolean tails() {
        return level < NO_TAILS;
    }

    /** Whether first-time passes are recorded. */
    boolean passes() {
        return level < NO_PASSES;
    }
}
