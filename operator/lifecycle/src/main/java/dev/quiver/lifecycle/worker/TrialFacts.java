package dev.quiver.lifecycle.worker;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.TrialRow;

/**
 * The facts that a worker knows of a trial apart from its settlement, for the record.
 *
 * @param slot that ran it, 0 to 63; 0 where none did
 * @param endedNanos when its end became known, by {@link System#nanoTime}
 * @param detail absent where nothing but the time is recorded
 */
public record TrialFacts(int slot, long endedNanos, Optional<Detail> detail) {

    /** A trial without a record. */
    public static final TrialFacts NONE = new TrialFacts(0, 0, Optional.empty());

    /**
     * The rest of what is recorded.
     *
     * @param resources absent where nobody measured them
     * @param outputBytes bytes that it wrote to stdout and stderr
     * @param stdout deflated tail, empty where none is recorded
     * @param stderr the same of stderr
     * @param result where it is small enough to be recorded
     * @param resultBytes bytes of a result that is too large for the row; 0 where there is none
     * @param pack where such a result will be found
     * @param streams where all of its output will be found
     * @param counts what its report counted; absent without a report
     * @param cases of its report that did not pass, at most {@link dev.quiver.lifecycle.history.HistoryBounds#CASES}
     */
    public record Detail(
            Optional<TrialRow.Resources> resources,
            long outputBytes,
            byte[] stdout,
            byte[] stderr,
            Optional<TrialRow.Result> result,
            long resultBytes,
            Optional<PackPlace> pack,
            TrialRow.Streams streams,
            Optional<TrialRow.Counts> counts,
            List<TrialRow.Case> cases) {

        /** With nothing in a pack, and without a report. */
        public Detail(
                Optional<TrialRow.Resources> resources,
                long outputBytes,
                byte[] stdout,
                byte[] stderr,
                Optional<TrialRow.Result> result,
                long resultBytes) {
            this(
                    resources,
                    outputBytes,
                    stdout,
                    stderr,
                    result,
                    resultBytes,
                    Optional.empty(),
                    TrialRow.Streams.NONE,
                    Optional.empty(),
                    List.of());
        }
    }
}
