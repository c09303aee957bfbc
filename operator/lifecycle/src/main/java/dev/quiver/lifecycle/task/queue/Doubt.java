package dev.quiver.lifecycle.task.queue;

import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementKind;
import dev.quiver.lifecycle.worker.SettlementRow;
import dev.quiver.lifecycle.worker.TrialFailureJson;

/** Which trials leave a task in doubt that has a contingency: those that may have done what it does. No I/O. */
final class Doubt {

    /** Reasons with which a function, or the worker before it, says that nothing was done. */
    private static final Set<String> NOTHING_DONE = Set.of("DoNotRetry", "InputInvalid", "HandlerNotFound");

    private static final String BROKEN_OFF = "{\"reason\":\"BrokenOff\",\"message\":\"it ran, and was broken off\"}";

    private Doubt() {}

    /**
     * The row of a settlement that leaves doubt; absent for any other one. Losses do so by the script.
     *
     * @param said as the worker has it. A function that says when it is to be tried again says that nothing was done
     * @param later the same, after the wait that its task's document has
     */
    static Optional<SettlementRow> row(Settlement said, Settlement later) {
        if (!said.claim().task().isUnsure()) {
            return Optional.empty();
        }
        if (said instanceof Settlement.Returned returned && returned.brokenOff()) {
            return Optional.of(new SettlementRow(SettlementKind.BROKEN_OFF.letter(), BROKEN_OFF));
        }
        if (!(said instanceof Settlement.Failed failed)
                || !failed.runTime().isPositive()
                || failed.retry() instanceof Retry.After
                || NOTHING_DONE.contains(failed.failure().reason())) {
            return Optional.empty();
        }
        long wait = later instanceof Settlement.Failed of && of.retry() instanceof Retry.After after
                ? after.delay().toMillis()
                : 0;
        return Optional.of(
                new SettlementRow(SettlementKind.DOUBTFUL.letter() + wait, TrialFailureJson.write(failed.failure())));
    }
}
