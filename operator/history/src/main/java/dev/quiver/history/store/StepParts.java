package dev.quiver.history.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.StepRows.PassRow;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * The rows of a step that counted, and those of cancelled trials, by run: packed passes and trials. A step that settled first-time passes of one run
 * alone keeps its bytes as they came.
 *
 * @param runs by the uid of the run
 */
public record StepParts(Map<String, RunPart> runs) {

    /**
     * The settlements of a step that belong to one run.
     *
     * @param passes packed; n is 0 where there are none
     * @param trials with their records
     */
    public record RunPart(PassPack passes, List<CountedTrial> trials) {}

    /**
     * A trial that counted, or would have.
     *
     * @param row its record
     * @param fate of its task
     */
    public record CountedTrial(TrialRow row, Fate fate) {}

    /** The fate of a task by one of its trials. */
    public enum Fate {
        /** The task ended with it. */
        OVER,
        /** The task did not end with it. */
        OPEN,
        /** Another trial, which ran at the same time, ended the task before. */
        DECIDED_ELSEWHERE
    }

    /** The rows of one run, while they are gathered. */
    private record Gathered(List<PassRow> passes, List<CountedTrial> trials) {}

    static StepParts of(HistoryEntry.Step step) throws MalformedEntryException {
        StepRowsReader rows = StepRows.read(step.rows(), HistoryBounds.ROWS);
        if (rows.settlements() != step.verdicts().length()) {
            throw new MalformedEntryException(
                    rows.settlements() + " rows and " + step.verdicts().length() + " verdicts");
        }
        Map<String, Gathered> runs = new LinkedHashMap<>();
        boolean asItCame = true;
        while (rows.next()) {
            char verdict = step.verdicts().charAt(rows.index());
            boolean pass = rows.kind() == StepRowsReader.Kind.PASS;
            asItCame &= pass && verdict == 'c' && rows.run().isEmpty();
            boolean cancelled = EntryFields.cancelled(verdict);
            boolean superseded = EntryFields.superseded(verdict);
            if (!EntryFields.counts(verdict) && !cancelled && !superseded
                    || rows.kind() == StepRowsReader.Kind.NOTHING) {
                continue;
            }
            // Rows of the queue itself, behind those of a tree, name it.
            boolean own = rows.run().isEmpty() || rows.run().startsWith(EntryFields.QUEUE);
            String uid = own ? step.uid() : rows.run();
            Gathered run = runs.computeIfAbsent(uid, name -> new Gathered(new ArrayList<>(), new ArrayList<>()));
            if (cancelled) {
                run.trials.add(new CountedTrial(late(rows, pass).cancelled(), Fate.OPEN));
            } else if (superseded) {
                run.trials.add(new CountedTrial(late(rows, pass).superseded(), Fate.DECIDED_ELSEWHERE));
            } else if (pass) {
                run.passes.add(new PassRow(rows.task(), rows.slot(), rows.endedMillis(), rows.runMillis()));
            } else {
                TrialRow trial = rows.trial().orElseThrow();
                // A task that was called off while its run went on waits for another trial.
                boolean over = verdict == 'c' && trial.status() != TrialStatus.CANCELLED;
                run.trials.add(new CountedTrial(trial, over ? Fate.OVER : Fate.OPEN));
            }
        }
        boolean whole = asItCame;
        Map<String, RunPart> parts = new LinkedHashMap<>();
        runs.forEach((uid, run) ->
                parts.put(uid, new RunPart(pack(run.passes, whole ? step.rows() : null), run.trials)));
        return new StepParts(parts);
    }

    /** A trial that ended behind its run. */
    private static TrialRow late(StepRowsReader rows, boolean pass) {
        return pass
                ? TrialRow.of(rows.task(), 1, rows.slot(), TrialStatus.CANCELLED, rows.endedMillis(), rows.runMillis())
                : rows.trial().orElseThrow();
    }

    private static PassPack pack(List<PassRow> passes, byte[] asItCame) {
        PassPack.Sums sums = new PassPack.Sums();
        passes.forEach(pass -> sums.add(pass.task(), pass.runMillis()));
        return sums.packed(asItCame != null ? asItCame : StepRows.packed(passes));
    }
}
