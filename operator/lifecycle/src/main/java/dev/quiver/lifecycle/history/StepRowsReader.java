package dev.quiver.lifecycle.history;

import java.util.Optional;

/**
 * Goes over the rows of a step, or over packed passes, one at a time. Each row is checked when it is read; nothing is
 * allocated for a pass. Not thread-safe.
 */
public final class StepRowsReader {

    /** The kind of a row. */
    public enum Kind {
        /** A settlement without a record. */
        NOTHING,
        /** A task that passed at its first trial. */
        PASS,
        /** A trial with its record. */
        TRIAL
    }

    private static final Kind[] KINDS = Kind.values();

    private final ByteReader from;
    private final int settlements;
    private int read;
    private Kind kind = Kind.NOTHING;
    private String run = "";
    private long task;
    private int slot;
    private long endedMillis;
    private long runMillis;
    private Optional<TrialRow> trial = Optional.empty();

    StepRowsReader(byte[] encoded, int most) throws MalformedEntryException {
        from = new ByteReader(encoded);
        from.version(StepRows.VERSION, "the rows");
        settlements = from.count(most, "the number of rows");
    }

    /** Settlements in all. */
    public int settlements() {
        return settlements;
    }

    /**
     * Goes to the next settlement.
     *
     * @return false behind the last one
     * @throws MalformedEntryException for a row that breaks the format, or bytes behind the last one
     */
    public boolean next() throws MalformedEntryException {
        if (read == settlements) {
            from.end("the rows");
            return false;
        }
        int head = from.octet();
        int runs = 0;
        while (head >>> 6 == StepRows.RUN) {
            if (++runs > 1) {
                throw new MalformedEntryException("a run without rows");
            }
            run = EntryFields.identifier(from.text(HistoryBounds.ID_BYTES, "run"), "run");
            task = 0;
            head = from.octet();
        }
        kind = KINDS[head >>> 6];
        slot = head & 0x3f;
        trial = Optional.empty();
        read++;
        if (kind == Kind.NOTHING) {
            return true;
        }
        task += from.difference();
        if (task < 0 || task > HistoryBounds.TASK) {
            throw new MalformedEntryException("task is " + task);
        }
        if (kind == Kind.PASS) {
            endedMillis = from.number(HistoryBounds.NUMBER, "ended");
            runMillis = from.number(HistoryBounds.NUMBER, "run time");
        } else {
            TrialRow row = TrialFormat.read(from, task, slot);
            endedMillis = row.endedMillis();
            runMillis = row.runMillis();
            trial = Optional.of(row);
        }
        return true;
    }

    /** Index of the row among the settlements, from 0. */
    public int index() {
        return read - 1;
    }

    /** The kind of the row. */
    public Kind kind() {
        return kind;
    }

    /** The run that the rows name; empty where it is the entry's. */
    public String run() {
        return run;
    }

    /** Number of the task in its run. */
    public long task() {
        return task;
    }

    /** Slot of the worker. */
    public int slot() {
        return slot;
    }

    /** Milliseconds from its end to the step. */
    public long endedMillis() {
        return endedMillis;
    }

    /** Milliseconds that it ran. */
    public long runMillis() {
        return runMillis;
    }

    /** The record of a trial. */
    public Optional<TrialRow> trial() {
        return trial;
    }
}
