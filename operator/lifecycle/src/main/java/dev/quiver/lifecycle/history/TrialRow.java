package dev.quiver.lifecycle.history;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The record of a trial that did not simply pass at once, made by its worker. Cut to the bounds of the format when it
 * is written.
 *
 * @param task number of the task within its run, 0 to {@link HistoryBounds#TASK}
 * @param trial number of the trial, from 1
 * @param copy 0, or 1 for the second holder of a task that runs twice on purpose
 * @param slot of the worker, 0 to 63
 * @param status the outcome
 * @param endedMillis milliseconds from its end to the step that settles it, by the slot's clock
 * @param runMillis from start to end
 * @param exitCode of its process, 0 to 255, absent where it did not exit by itself
 * @param signal that ended it
 * @param reason one PascalCase word
 * @param message last words, at most {@link HistoryBounds#MESSAGE_BYTES}
 * @param resources what it used; absent where nobody asked
 * @param counts what its report counted; absent without a report
 * @param cases of its report that did not pass, at most {@link HistoryBounds#CASES}
 * @param outputBytes bytes that it wrote to stdout and stderr
 * @param stdout deflated tail, empty where none is kept; see {@link Tails}
 * @param stderr the same of stderr
 * @param result its result where the row holds it
 * @param resultBytes bytes of a result that was wanted and is too large for the row; 0 where there is none
 * @param pack where a result is kept that is too large for the row
 * @param streams where all of its output is kept
 * @param estimateMillis how long it was expected to take when it was claimed, at a worker of the usual speed; 0 where
 *     nothing told it
 * @param outputCut whether tails, the result or cases were left out for want of room
 */
@RecordBuilder
public record TrialRow(
        long task,
        int trial,
        int copy,
        int slot,
        TrialStatus status,
        long endedMillis,
        long runMillis,
        Optional<Integer> exitCode,
        Optional<Integer> signal,
        Optional<String> reason,
        Optional<String> message,
        Optional<Resources> resources,
        Optional<Counts> counts,
        List<Case> cases,
        long outputBytes,
        byte[] stdout,
        byte[] stderr,
        Optional<Result> result,
        long resultBytes,
        Optional<PackPlace> pack,
        Streams streams,
        long estimateMillis,
        boolean outputCut) {

    /** Reason of a trial whose task another worker finished first. */
    public static final String SUPERSEDED = "Superseded";

    private static final byte[] NONE = {};

    /** Processor time and largest resident size. */
    public record Resources(long cpuMillis, long maxRssKib) {}

    /** Cases of a report by outcome. */
    public record Counts(long passed, long pending, long failed) {}

    /**
     * A case of a report that did not pass.
     *
     * @param name at most {@link HistoryBounds#CASE_NAME_BYTES}
     * @param status failed, error or pending
     * @param runMillis 0 where the report does not say
     * @param message at most {@link HistoryBounds#MESSAGE_BYTES}, empty where there is none
     */
    public record Case(String name, TrialStatus status, long runMillis, String message) {
        /** All present; the time is within the bounds of the format. */
        public Case {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(message, "message");
            within(runMillis, HistoryBounds.NUMBER, "the time of a case");
        }
    }

    /**
     * A result of at most {@link HistoryBounds#RESULT_BYTES}.
     *
     * @param format of the bytes
     * @param bytes as the program left them
     */
    public record Result(ResultFormat format, byte[] bytes) {}

    /**
     * Where all of its stdout and all of its stderr are kept.
     *
     * @param stdout absent where it is not kept, or empty
     * @param stderr the same of stderr
     */
    public record Streams(Optional<PackPlace> stdout, Optional<PackPlace> stderr) {

        /** Neither is kept. */
        public static final Streams NONE = new Streams(Optional.empty(), Optional.empty());
    }

    /** All present, numbers within the bounds of the format. */
    public TrialRow {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(stdout, "stdout");
        Objects.requireNonNull(stderr, "stderr");
        within(task, HistoryBounds.TASK, "task");
        within(trial, HistoryBounds.TRIAL, "trial");
        within(copy, 1, "copy");
        within(slot, HistoryBounds.SLOTS - 1, "slot");
        within(endedMillis, HistoryBounds.NUMBER, "endedMillis");
        within(runMillis, HistoryBounds.NUMBER, "runMillis");
        within(outputBytes, HistoryBounds.NUMBER, "outputBytes");
        within(stdout.length, HistoryBounds.PACKED_TAIL_BYTES, "stdout");
        within(stderr.length, HistoryBounds.PACKED_TAIL_BYTES, "stderr");
        within(exitCode.orElse(0), 255, "exitCode");
        within(signal.orElse(0), 127, "signal");
        within(resultBytes, HistoryBounds.NUMBER, "resultBytes");
        within(estimateMillis, HistoryBounds.NUMBER, "estimateMillis");
        within(result.map(it -> it.bytes().length).orElse(0), HistoryBounds.RESULT_BYTES, "result");
        Objects.requireNonNull(streams, "streams");
        cases = List.copyOf(cases);
        within(cases.size(), HistoryBounds.CASES, "cases");
    }

    /** A row without anything but its outcome. */
    public static TrialRow of(long task, int trial, int slot, TrialStatus status, long endedMillis, long runMillis) {
        return TrialRowBuilder.builder()
                .task(task)
                .trial(trial)
                .slot(slot)
                .status(status)
                .endedMillis(endedMillis)
                .runMillis(runMillis)
                .stdout(NONE)
                .stderr(NONE)
                .streams(Streams.NONE)
                .cases(List.of())
                .build();
    }

    /** With how it failed. */
    public TrialRow because(Optional<Integer> exit, Optional<Integer> killedBy, String why, String words) {
        return TrialRowBuilder.builder(this)
                .exitCode(exit)
                .signal(killedBy)
                .reason(Optional.of(why))
                .message(Optional.of(words))
                .build();
    }

    /** With deflated tails of its output, and how much it wrote in all. */
    public TrialRow printed(byte[] out, byte[] err, long bytes) {
        return TrialRowBuilder.builder(this)
                .stdout(out)
                .stderr(err)
                .outputBytes(bytes)
                .build();
    }

    /** With its result. */
    public TrialRow returned(ResultFormat format, byte[] bytes) {
        return TrialRowBuilder.builder(this)
                .result(Optional.of(new Result(format, bytes)))
                .build();
    }

    /** With the size of a result that is too large for the row. */
    public TrialRow returned(long bytes) {
        return TrialRowBuilder.builder(this)
                .result(Optional.empty())
                .resultBytes(bytes)
                .build();
    }

    /** With the place of its result in a pack. */
    public TrialRow kept(PackPlace place) {
        return TrialRowBuilder.builder(this).pack(Optional.of(place)).build();
    }

    /** With the places of all that it printed. */
    public TrialRow kept(Streams places) {
        return TrialRowBuilder.builder(this).streams(places).build();
    }

    /** With what its report said. */
    public TrialRow reported(Counts counted, List<Case> notPassed) {
        return TrialRowBuilder.builder(this)
                .counts(Optional.of(counted))
                .cases(notPassed)
                .build();
    }

    /** The same as one that counted nothing, since its run ended first. */
    public TrialRow cancelled() {
        return TrialRowBuilder.builder(this)
                .status(TrialStatus.CANCELLED)
                .reason(Optional.of("RunEnded"))
                .message(Optional.of("the run ended first"))
                .build();
    }

    /** The same as one that counted nothing, since another worker finished its task first. */
    public TrialRow superseded() {
        return TrialRowBuilder.builder(this)
                .status(TrialStatus.CANCELLED)
                .reason(Optional.of(SUPERSEDED))
                .message(Optional.of("another worker finished the task first"))
                .build();
    }

    /** The same without tails, marked so where it had some. */
    public TrialRow withoutTails() {
        return TrialRowBuilder.builder(this)
                .stdout(NONE)
                .stderr(NONE)
                .outputCut(outputCut || stdout.length + stderr.length > 0)
                .build();
    }

    /** The same without tails and result, marked so where it had some. */
    public TrialRow withoutOutput() {
        return TrialRowBuilder.builder(withoutTails())
                .result(Optional.empty())
                .outputCut(outputCut || stdout.length + stderr.length > 0 || result.isPresent())
                .build();
    }

    /** The same without tails, result and cases, marked so where it had some. */
    public TrialRow withoutExtras() {
        return TrialRowBuilder.builder(withoutOutput())
                .cases(List.of())
                .outputCut(withoutOutput().outputCut() || !cases.isEmpty())
                .build();
    }

    private static void within(long value, long most, String name) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(name + " must be within 0 and " + most + ": " + value);
        }
    }
}
