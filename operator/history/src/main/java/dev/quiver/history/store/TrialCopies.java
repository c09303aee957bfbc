package dev.quiver.history.store;

/** The numbers of rows that share the number of their trial: column {@code copy} of trials. */
public final class TrialCopies {

    /**
     * Losses and cancelled trials use no trial: the next trial has the same number. So their copies begin here; below are 0,
     * and 1 for a second holder.
     */
    public static final int FIRST_LOSS = 16;

    /** The cases of a second holder's report stand so far behind those of the first holder's. */
    public static final int CASES = 65_536;

    private TrialCopies() {}
}
