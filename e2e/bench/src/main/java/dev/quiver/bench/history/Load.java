package dev.quiver.bench.history;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * The trials of a run as its workers record them.
 *
 * @param name in the figures
 * @param tasks of the run, one trial each
 * @param failing of a hundred tasks
 * @param permuted whether tasks were given out in another order than that of their numbers, as the longest first
 */
record Load(String name, int tasks, int failing, boolean permuted) {

    /** Settlements of a step. */
    static final int STEP = 64;

    /** Slots of a worker. */
    static final int SLOTS = 8;

    /** Milliseconds that a task runs, on average. */
    static final int MEAN_MILLIS = 550;

    private static final int OUTPUTS = 64;
    private static final int LINE = 62;
    private static final byte[][] TAILS = tails();

    /** The same in permuted order. */
    Load inPermutedOrder() {
        return new Load(name + ", permuted", tasks, failing, true);
    }

    /** Deflated outputs of 4 KiB. */
    private static byte[][] tails() {
        Random random = new Random(14);
        byte[][] tails = new byte[OUTPUTS][];
        for (int i = 0; i < OUTPUTS; i++) {
            StringBuilder text = new StringBuilder();
            for (int line = 0; line < LINE; line++) {
                text.append("  at spec/models/invoice_spec.rb:").append(random.nextInt(1000));
                text.append(": expected ")
                        .append(Integer.toHexString(random.nextInt()))
                        .append(" to be paid\\n");
            }
            tails[i] = Tails.pack(text.toString().getBytes(StandardCharsets.UTF_8), HistoryBounds.TAIL_BYTES);
        }
        return tails;
    }

    /** Bytes of a failed trial's output as it is recorded, about. */
    static int tailBytes() {
        return TAILS[0].length;
    }

    /** A deflated output. */
    static byte[] tail(long task) {
        return TAILS[(int) (task % OUTPUTS)];
    }

    /** The task that is given out at that place: a multiplication without a common factor visits each once. */
    long task(long place) {
        return permuted ? place * multiplier() % tasks : place;
    }

    private long multiplier() {
        long wanted = Math.max(1, (long) (tasks * 0.618));
        while (gcd(wanted, tasks) != 1) {
            wanted++;
        }
        return wanted;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    boolean fails(long task) {
        return task % 100 < failing;
    }

    /** How many of the tasks fail. */
    long failed() {
        return tasks / 100 * failing + Math.min(tasks % 100, failing);
    }

    /** The rows of the step that begins at that place. A slot's trials follow each other, and the last one just ended. */
    StepRows step(long first) {
        int size = (int) Math.min(tasks - first, STEP);
        long[] ended = new long[size];
        long[] busy = new long[SLOTS];
        for (int at = size - 1; at >= 0; at--) {
            int slot = slot(first + at);
            ended[at] = busy[slot];
            busy[slot] += ran(task(first + at));
        }
        StepRows rows = new StepRows();
        for (int at = 0; at < size; at++) {
            long task = task(first + at);
            int slot = slot(first + at);
            if (fails(task)) {
                rows.trial(TrialRow.of(task, 1, slot, TrialStatus.FAILED, ended[at], ran(task))
                        .because(Optional.of(1), Optional.empty(), "NonZeroExit", "the program ended with 1")
                        .printed(tail(task), new byte[0], HistoryBounds.TAIL_BYTES));
            } else {
                rows.pass(task, slot, ended[at], ran(task));
            }
        }
        return rows;
    }

    private static int slot(long place) {
        return (int) (place % SLOTS);
    }

    /** Milliseconds that a task ran, {@link #MEAN_MILLIS} on average. */
    private static long ran(long task) {
        return 100 + task % 900;
    }
}
