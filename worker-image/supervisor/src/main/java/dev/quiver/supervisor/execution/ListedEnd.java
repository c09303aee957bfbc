package dev.quiver.supervisor.execution;

import java.util.Optional;

/** The end of a program whose list of tasks cannot be had. Pure. */
public final class ListedEnd {

    /** The list has a fault. */
    static final String INVALID = "ListInvalid";

    private ListedEnd() {}

    /** The end of a program that passed, and whose list nobody can read. */
    public static TrialResult refused(TrialResult ending, String why) {
        return ending.judged(TrialResult.Kind.FAILED, INVALID, Tail.fit(why), Optional.empty());
    }
}
