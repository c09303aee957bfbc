package dev.quiver.supervisor.execution;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * The report that a program wrote of its test cases. Immutable.
 *
 * @param counts of all its cases; one that ended with an error counts as failed, a skipped one as pending
 * @param cases that did not pass, the failed ones first, at most
 *     {@link dev.quiver.lifecycle.history.HistoryBounds#CASES}
 */
public record JunitReport(TrialRow.Counts counts, List<TrialRow.Case> cases) {

    /** Bytes of a report at most. */
    public static final int MAX_BYTES = 1 << 20;

    /** Cases of a report at most. */
    public static final int MAX_CASES = 10_000;

    /** Copies the list. */
    public JunitReport {
        cases = List.copyOf(cases);
    }

    /** All cases. */
    public long size() {
        return counts.passed() + counts.pending() + counts.failed();
    }

    /** Whether it has cases and each of them was skipped. */
    boolean isAllSkipped() {
        return counts.pending() > 0 && counts.pending() == size();
    }

    /** The first case that failed, if one did. */
    Optional<TrialRow.Case> firstFailed() {
        return cases.stream()
                .filter(each -> each.status() != TrialStatus.PENDING)
                .findFirst();
    }
}
