package dev.quiver.lifecycle.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The fields of a trial's row. Flags name those that follow; a flag that is not known belongs to a newer writer. */
final class TrialFormat {

    private static final int EXIT = 1;
    private static final int SIGNAL = 1 << 1;
    private static final int REASON = 1 << 2;
    private static final int MESSAGE = 1 << 3;
    private static final int RESOURCES = 1 << 4;
    private static final int COUNTS = 1 << 5;
    private static final int STDOUT = 1 << 6;
    private static final int STDERR = 1 << 7;
    private static final int OUTPUT_BYTES = 1 << 8;
    private static final int RESULT = 1 << 9;
    private static final int PACK = 1 << 10;
    private static final int CUT = 1 << 11;
    private static final int RESULT_BYTES = 1 << 12;
    private static final int STDOUT_PACK = 1 << 13;
    private static final int STDERR_PACK = 1 << 14;
    private static final int CASES = 1 << 15;
    private static final int ESTIMATE = 1 << 16;
    private static final int KNOWN = (1 << 17) - 1;
    /** Bytes of a case at most beside its name and its message: lengths, status and time. */
    private static final int CASE_BYTES = 2 + 2 + 1 + 8;

    private TrialFormat() {}

    /**
     * Writes a row.
     *
     * @param message bytes of its message at most
     * @return the task, to which the next row gives its difference
     */
    static long write(ByteWriter to, TrialRow row, long previous, int message) {
        to.put(StepRows.TRIAL << 6 | row.slot()).difference(row.task() - previous);
        to.number(row.trial()).put(row.copy()).put(row.status().ordinal());
        to.number(row.endedMillis()).number(row.runMillis()).number(flags(row));
        row.exitCode().ifPresent(to::put);
        row.signal().ifPresent(to::put);
        row.reason().ifPresent(reason -> to.text(reason, HistoryBounds.REASON_BYTES));
        row.message().ifPresent(words -> to.text(words, message));
        row.resources().ifPresent(used -> to.number(used.cpuMillis()).number(used.maxRssKib()));
        row.counts()
                .ifPresent(counts ->
                        to.number(counts.passed()).number(counts.pending()).number(counts.failed()));
        tail(to, row.stdout());
        tail(to, row.stderr());
        if (row.outputBytes() > 0) {
            to.number(row.outputBytes());
        }
        row.result().ifPresent(result -> to.put(result.format().ordinal()).bytes(result.bytes()));
        row.pack().ifPresent(place -> pack(to, place));
        if (row.resultBytes() > 0) {
            to.number(row.resultBytes());
        }
        row.streams().stdout().ifPresent(place -> pack(to, place));
        row.streams().stderr().ifPresent(place -> pack(to, place));
        if (!row.cases().isEmpty()) {
            to.number(row.cases().size());
            row.cases().forEach(each -> write(to, each));
        }
        if (row.estimateMillis() > 0) {
            to.number(row.estimateMillis());
        }
        return row.task();
    }

    private static void write(ByteWriter to, TrialRow.Case each) {
        to.put(each.status().ordinal()).number(each.runMillis());
        to.text(each.name(), HistoryBounds.CASE_NAME_BYTES).text(each.message(), HistoryBounds.MESSAGE_BYTES);
    }

    /** Bytes that these cases take at most. */
    static int bytes(List<TrialRow.Case> cases) {
        int bytes = 0;
        for (TrialRow.Case each : cases) {
            bytes += CASE_BYTES
                    + Math.min(HistoryBounds.CASE_NAME_BYTES, 3 * each.name().length())
                    + Math.min(HistoryBounds.MESSAGE_BYTES, 3 * each.message().length());
        }
        return cases.isEmpty() ? 0 : bytes + 1;
    }

    private static void pack(ByteWriter to, PackPlace place) {
        to.text(place.pack(), HistoryBounds.ID_BYTES).number(place.offset()).number(place.length());
    }

    private static void tail(ByteWriter to, byte[] tail) {
        if (tail.length > 0) {
            to.bytes(tail);
        }
    }

    private static int flags(TrialRow row) {
        return (row.exitCode().isPresent() ? EXIT : 0)
                | (row.signal().isPresent() ? SIGNAL : 0)
                | (row.reason().isPresent() ? REASON : 0)
                | (row.message().isPresent() ? MESSAGE : 0)
                | (row.resources().isPresent() ? RESOURCES : 0)
                | (row.counts().isPresent() ? COUNTS : 0)
                | (row.stdout().length > 0 ? STDOUT : 0)
                | (row.stderr().length > 0 ? STDERR : 0)
                | (row.outputBytes() > 0 ? OUTPUT_BYTES : 0)
                | (row.result().isPresent() ? RESULT : 0)
                | (row.pack().isPresent() ? PACK : 0)
                | (row.outputCut() ? CUT : 0)
                | (row.resultBytes() > 0 ? RESULT_BYTES : 0)
                | (row.streams().stdout().isPresent() ? STDOUT_PACK : 0)
                | (row.streams().stderr().isPresent() ? STDERR_PACK : 0)
                | (row.cases().isEmpty() ? 0 : CASES)
                | (row.estimateMillis() > 0 ? ESTIMATE : 0);
    }

    static TrialRow read(ByteReader from, long task, int slot) throws MalformedEntryException {
        int trial = from.count(HistoryBounds.TRIAL, "trial");
        int copy = from.octet();
        if (copy > 1) {
            throw new MalformedEntryException("copy is " + copy);
        }
        TrialStatus status = TrialStatus.of(from.octet());
        long ended = from.number(HistoryBounds.NUMBER, "ended");
        long ran = from.number(HistoryBounds.NUMBER, "run time");
        int flags = from.count(Integer.MAX_VALUE, "flags");
        if ((flags & ~KNOWN) != 0) {
            throw MalformedEntryException.newer("a row has fields that are not known: " + flags);
        }
        Optional<Integer> exit = has(flags, EXIT) ? Optional.of(from.octet()) : Optional.empty();
        Optional<Integer> signal = has(flags, SIGNAL) ? Optional.of(signal(from)) : Optional.empty();
        Optional<String> reason = text(from, has(flags, REASON), HistoryBounds.REASON_BYTES, "reason");
        Optional<String> message = text(from, has(flags, MESSAGE), HistoryBounds.MESSAGE_BYTES, "message");
        var used = has(flags, RESOURCES) ? Optional.of(resources(from)) : Optional.<TrialRow.Resources>empty();
        var counts = has(flags, COUNTS) ? Optional.of(counts(from)) : Optional.<TrialRow.Counts>empty();
        byte[] stdout = tail(from, has(flags, STDOUT), "stdout");
        byte[] stderr = tail(from, has(flags, STDERR), "stderr");
        long output = has(flags, OUTPUT_BYTES) ? from.number(HistoryBounds.NUMBER, "output bytes") : 0;
        var result = has(flags, RESULT) ? Optional.of(result(from)) : Optional.<TrialRow.Result>empty();
        Optional<PackPlace> pack = pack(from, has(flags, PACK));
        long resultBytes = has(flags, RESULT_BYTES) ? from.number(HistoryBounds.NUMBER, "result bytes") : 0;
        Optional<PackPlace> allStdout = pack(from, has(flags, STDOUT_PACK));
        Optional<PackPlace> allStderr = pack(from, has(flags, STDERR_PACK));
        List<TrialRow.Case> cases = has(flags, CASES) ? cases(from) : List.of();
        long estimate = has(flags, ESTIMATE) ? from.number(HistoryBounds.NUMBER, "estimate") : 0;
        return new TrialRow(
                task,
                trial,
                copy,
                slot,
                status,
                ended,
                ran,
                exit,
                signal,
                reason,
                message,
                used,
                counts,
                cases,
                output,
                stdout,
                stderr,
                result,
                resultBytes,
                pack,
                new TrialRow.Streams(allStdout, allStderr),
                estimate,
                has(flags, CUT));
    }

    private static TrialRow.Result result(ByteReader from) throws MalformedEntryException {
        return new TrialRow.Result(ResultFormat.of(from.octet()), from.bytes(HistoryBounds.RESULT_BYTES, "result"));
    }

    private static List<TrialRow.Case> cases(ByteReader from) throws MalformedEntryException {
        int most = from.count(HistoryBounds.CASES, "cases");
        List<TrialRow.Case> cases = new ArrayList<>(most);
        while (cases.size() < most) {
            TrialStatus status = TrialStatus.of(from.octet());
            long ran = from.number(HistoryBounds.NUMBER, "the time of a case");
            String name = from.text(HistoryBounds.CASE_NAME_BYTES, "the name of a case");
            cases.add(new TrialRow.Case(
                    name, status, ran, from.text(HistoryBounds.MESSAGE_BYTES, "the message of a case")));
        }
        return cases;
    }

    private static Optional<PackPlace> pack(ByteReader from, boolean there) throws MalformedEntryException {
        return there
                ? Optional.of(new PackPlace(
                        from.text(HistoryBounds.ID_BYTES, "pack"),
                        from.number(HistoryBounds.NUMBER, "offset"),
                        from.number(HistoryBounds.NUMBER, "length")))
                : Optional.empty();
    }

    private static int signal(ByteReader from) throws MalformedEntryException {
        int signal = from.octet();
        if (signal > 127) {
            throw new MalformedEntryException("signal is " + signal);
        }
        return signal;
    }

    private static TrialRow.Resources resources(ByteReader from) throws MalformedEntryException {
        return new TrialRow.Resources(
                from.number(HistoryBounds.NUMBER, "cpu"), from.number(HistoryBounds.NUMBER, "max rss"));
    }

    private static TrialRow.Counts counts(ByteReader from) throws MalformedEntryException {
        return new TrialRow.Counts(
                from.number(Integer.MAX_VALUE, "passed"),
                from.number(Integer.MAX_VALUE, "pending"),
                from.number(Integer.MAX_VALUE, "failed"));
    }

    static boolean has(int flags, int flag) {
        return (flags & flag) != 0;
    }

    private static Optional<String> text(ByteReader from, boolean there, int most, String name)
            throws MalformedEntryException {
        return there ? Optional.of(from.text(most, name)) : Optional.empty();
    }

    private static byte[] tail(ByteReader from, boolean there, String name) throws MalformedEntryException {
        return there ? from.bytes(HistoryBounds.PACKED_TAIL_BYTES, name) : new byte[0];
    }
}
