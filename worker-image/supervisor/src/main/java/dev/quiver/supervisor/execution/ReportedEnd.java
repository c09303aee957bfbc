package dev.quiver.supervisor.execution;

import java.util.Optional;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.history.TrialRow;

/**
 * The end of a trial as its report of test cases has it. A program that exits with 0 is believed as far as its report
 * says the same. One that failed stays failed, in the words of the case that failed first. Pure.
 */
public final class ReportedEnd {

    /** The program exited with 0, and its report has cases that failed. */
    static final String FAILED = "TestsFailed";

    /** All cases of the report were skipped. */
    static final String SKIPPED = "TestsSkipped";

    /** The report is missing, or cannot be read. */
    static final String INVALID = "ReportInvalid";

    private ReportedEnd() {}

    /** Whether a report says anything about this end, and has a size that is read. */
    public static boolean reads(TrialResult ending) {
        long bytes = ending.output().bytes();
        boolean own = ending.kind() == TrialResult.Kind.PASSED || ending.kind() == TrialResult.Kind.FAILED;
        return own && bytes > 0 && bytes <= JunitReport.MAX_BYTES;
    }

    /** The end of a trial whose report is missing or too large; all others stay as they are. */
    public static TrialResult unread(TrialResult ending) {
        if (ending.kind() != TrialResult.Kind.PASSED) {
            return ending;
        }
        long bytes = ending.output().bytes();
        return bytes == 0
                ? invalid(ending, "the program exited with 0 and wrote no report to $QUIVER_OUTPUT")
                : invalid(ending, "the report: " + JunitReader.tooLarge(bytes).getMessage());
    }

    /** The end of a trial whose report the slot does not give. */
    public static TrialResult refused(TrialResult ending, String why) {
        return ending.kind() == TrialResult.Kind.PASSED ? invalid(ending, why) : ending;
    }

    /** The end of a trial that left these bytes as its report. Takes as long as the report is long. */
    public static TrialResult of(TrialResult ending, ExecutionInput.Payload output) {
        TrialResult read = ending.leaving(TrialOutput.of(output));
        try {
            return judged(read, JunitReader.read(output.bytes()));
        } catch (InvalidReportException senseless) {
            // A program that failed may have been cut off in the middle of its report.
            return ending.kind() == TrialResult.Kind.PASSED
                    ? invalid(read, "the report: " + senseless.getMessage())
                    : read;
        }
    }

    private static TrialResult judged(TrialResult ending, JunitReport report) {
        Optional<TrialRow.Case> failed = report.firstFailed();
        boolean passed = ending.kind() == TrialResult.Kind.PASSED;
        if (failed.isPresent()) {
            boolean exited = passed || ending.exitCode() > 0 && ending.signal() == 0;
            String words = exited ? words(failed.get(), report) : ending.message();
            return ending.judged(
                    TrialResult.Kind.FAILED, passed ? FAILED : ending.reason(), words, Optional.of(report));
        }
        if (passed && report.isAllSkipped()) {
            return ending.judged(
                    TrialResult.Kind.PENDING,
                    SKIPPED,
                    bounded(report.cases().getFirst(), " (all " + report.size() + " cases were skipped)"),
                    Optional.of(report));
        }
        return ending.judged(ending.kind(), ending.reason(), ending.message(), Optional.of(report));
    }

    private static String words(TrialRow.Case failed, JunitReport report) {
        return bounded(failed, " (" + report.counts().failed() + " of " + report.size() + " cases failed)");
    }

    /** The end of a message is what is always kept of it, so its beginning is cut here. */
    private static String bounded(TrialRow.Case of, String end) {
        String text = of.name() + (of.message().isEmpty() ? "" : ": " + of.message());
        return Utf8.firstBytes(text, Tail.MAX_BYTES - Utf8.length(end)) + end;
    }

    private static TrialResult invalid(TrialResult ending, String words) {
        return ending.judged(TrialResult.Kind.FAILED, INVALID, Tail.fit(words), Optional.empty());
    }
}
