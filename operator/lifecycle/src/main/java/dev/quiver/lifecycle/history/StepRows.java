package dev.quiver.lifecycle.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Makes the rows of one step: the one opaque argument that a worker hands to the script. One row for each settlement,
 * in their order, since the verdict letters follow the same order. A row is:
 *
 * <pre>
 *   head          kind in bits 7 and 6, slot in bits 5 to 0
 *   0 nothing     a settlement without a record: returned, moved, or not to be kept
 *   1 pass        difference of the task to the row before, ms from its end to the step, ms that it ran
 *   2 trial       difference, trial, copy, status, ms from its end, ms that it ran, flags, the fields that flags name
 *   3 run         uid: the rows from here on belong to another run; counts as no settlement
 * </pre>
 *
 * Version 1 and the number of settlements precede the rows. Numbers are LEB128, differences zigzag. The rows take at
 * most {@link HistoryBounds#ROWS_BYTES}. Tails of output, results and cases are left out, from the last row backwards,
 * until the rows fit. If that is not enough, messages are shortened. Not thread-safe.
 */
public final class StepRows {

    static final int VERSION = 1;
    static final int NOTHING = 0;
    static final int PASS = 1;
    static final int TRIAL = 2;
    static final int RUN = 3;

    private static final int EXPECTED = 512;
    private static final int LENGTHS = 7;
    private static final int SHORT_MESSAGE_BYTES = 64;

    private sealed interface Row {}

    private record Nothing() implements Row {}

    private record Pass(long task, int slot, long endedMillis, long runMillis) implements Row {}

    private record Trial(TrialRow row) implements Row {}

    private record Run(String uid) implements Row {}

    private final List<Row> rows = new ArrayList<>();
    private int settlements;

    /** A settlement without a record. */
    public StepRows nothing() {
        return settled(new Nothing());
    }

    /**
     * A task that passed at its first trial.
     *
     * @param endedMillis milliseconds from its end to this step; negative ones, of a clock that stepped back, count as 0
     */
    public StepRows pass(long task, int slot, long endedMillis, long runMillis) {
        if (task < 0 || task > HistoryBounds.TASK || slot < 0 || slot >= HistoryBounds.SLOTS) {
            throw new IllegalArgumentException("no task " + task + " in slot " + slot);
        }
        return settled(new Pass(task, slot, Math.max(0, endedMillis), Math.max(0, runMillis)));
    }

    /** A trial with its record. */
    public StepRows trial(TrialRow row) {
        return settled(new Trial(row));
    }

    /** The rows from here on belong to this run: trees of a pool's queue, whose tasks are numbered in each. */
    public StepRows run(String uid) {
        rows.add(new Run(uid));
        return this;
    }

    private StepRows settled(Row row) {
        if (++settlements > HistoryBounds.ROWS) {
            throw new IllegalArgumentException("more than " + HistoryBounds.ROWS + " rows");
        }
        rows.add(row);
        return this;
    }

    /** How many settlements have a row. */
    public int settlements() {
        return settlements;
    }

    /** The argument for the script, at most {@link HistoryBounds#ROWS_BYTES}. */
    public byte[] encode() {
        byte[] whole = encode(Integer.MAX_VALUE, HistoryBounds.MESSAGE_BYTES);
        if (whole.length <= HistoryBounds.ROWS_BYTES) {
            return whole;
        }
        int bare = encode(0, HistoryBounds.MESSAGE_BYTES).length;
        byte[] cut = bare <= HistoryBounds.ROWS_BYTES
                ? encode(HistoryBounds.ROWS_BYTES - bare, HistoryBounds.MESSAGE_BYTES)
                : encode(0, SHORT_MESSAGE_BYTES);
        if (cut.length > HistoryBounds.ROWS_BYTES) {
            throw new IllegalStateException("rows without tails, results and cases take " + cut.length + " bytes");
        }
        return cut;
    }

    /**
     * Encodes with tails, results and cases of so many bytes in all.
     *
     * @param message bytes of a message at most
     */
    private byte[] encode(int extras, int message) {
        ByteWriter to = new ByteWriter(EXPECTED);
        to.put(VERSION).number(settlements);
        long task = 0;
        int left = extras;
        for (Row row : rows) {
            switch (row) {
                case Nothing nothing -> to.put(NOTHING << 6);
                case Run run -> {
                    to.put(RUN << 6).text(run.uid(), HistoryBounds.ID_BYTES);
                    task = 0;
                }
                case Pass pass -> {
                    to.put(PASS << 6 | pass.slot()).difference(pass.task() - task);
                    to.number(pass.endedMillis()).number(pass.runMillis());
                    task = pass.task();
                }
                case Trial trial -> {
                    TrialRow fits = fitting(trial.row(), left);
                    left -= extras(fits);
                    task = TrialFormat.write(to, fits, task, message);
                }
            }
        }
        return to.toBytes();
    }

    /** The row with as much of its output as fits. */
    private static TrialRow fitting(TrialRow full, int left) {
        if (extras(full) <= left) {
            return full;
        }
        TrialRow withResult = full.withoutTails();
        if (extras(withResult) <= left) {
            return withResult;
        }
        TrialRow withCases = full.withoutOutput();
        return extras(withCases) <= left ? withCases : full.withoutExtras();
    }

    /** The bytes of tails, result and cases, with their lengths: up to two bytes more each than if they were empty. */
    private static int extras(TrialRow row) {
        int bytes = row.stdout().length
                + row.stderr().length
                + row.result().map(result -> result.bytes().length).orElse(0);
        int cases = TrialFormat.bytes(row.cases());
        return bytes == 0 ? cases : bytes + LENGTHS + cases;
    }

    /** A packed list of first-time passes of one run, in the same format. */
    public static byte[] packed(List<PassRow> passes) {
        ByteWriter to = new ByteWriter(8 + passes.size() * 7);
        to.put(VERSION).number(passes.size());
        long task = 0;
        for (PassRow pass : passes) {
            to.put(PASS << 6 | pass.slot()).difference(pass.task() - task);
            to.number(pass.endedMillis()).number(pass.runMillis());
            task = pass.task();
        }
        return to.toBytes();
    }

    /**
     * Goes over encoded rows.
     *
     * @param most rows at most
     * @throws MalformedEntryException for another version, or more rows than that
     */
    public static StepRowsReader read(byte[] encoded, int most) throws MalformedEntryException {
        return new StepRowsReader(encoded, most);
    }

    /** One pass as it stands in a row. */
    public record PassRow(long task, int slot, long endedMillis, long runMillis) {}
}
