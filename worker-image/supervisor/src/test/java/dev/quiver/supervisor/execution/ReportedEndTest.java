package dev.quiver.supervisor.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.history.TrialRow;

/** The end of a trial, by what its program and its report say. */
class ReportedEndTest {

    private static final String GOOD = "<testcase name='good'/>";
    private static final String BAD = "<testcase classname='a' name='bad'><failure message='1 is not 2'/></testcase>";
    private static final String SKIPPED = "<testcase name='later'><skipped message='not here'/></testcase>";

    private static TrialResult passed(long bytes) {
        return TrialResult.passed(Duration.ofSeconds(1), TrialOutput.lost(bytes));
    }

    private static TrialResult failed(int exitCode, int signal, String reason) {
        return new TrialResult(TrialResult.Kind.FAILED, exitCode, signal, reason, "last words", Duration.ofSeconds(1));
    }

    private static TrialResult judged(TrialResult ending, String report) {
        byte[] bytes = report.getBytes(StandardCharsets.UTF_8);
        return ReportedEnd.of(ending, new ExecutionInput.Payload(bytes, ExecutionInput.Format.BYTES, false));
    }

    private static String suite(String... cases) {
        return "<testsuite>" + String.join("", cases) + "</testsuite>";
    }

    @Test
    void aProgramThatExitsWithZeroAndFailuresHasFailed() {
        TrialResult end = judged(passed(1), suite(GOOD, BAD, SKIPPED));
        assertThat(end.kind()).isEqualTo(TrialResult.Kind.FAILED);
        assertThat(end.exitCode()).isZero();
        assertThat(end.reason()).isEqualTo("TestsFailed");
        assertThat(end.message()).isEqualTo("a.bad: 1 is not 2 (1 of 3 cases failed)");
        assertThat(end.report().orElseThrow().counts()).isEqualTo(new TrialRow.Counts(1, 1, 1));
    }

    @Test
    void aProgramThatFailsKeepsItsReasonAndGetsTheWordsOfTheFirstCase() {
        TrialResult end = judged(failed(1, 0, "NonZeroExit"), suite(GOOD, BAD));
        assertThat(end.kind()).isEqualTo(TrialResult.Kind.FAILED);
        assertThat(end.exitCode()).isEqualTo(1);
        assertThat(end.reason()).isEqualTo("NonZeroExit");
        assertThat(end.message()).isEqualTo("a.bad: 1 is not 2 (1 of 2 cases failed)");
        assertThat(end.report()).isPresent();
    }

    @Test
    void aProgramThatFailsWithAGoodReportHasFailedAllTheSame() {
        TrialResult end = judged(failed(3, 0, "NonZeroExit"), suite(GOOD, SKIPPED));
        assertThat(end.kind()).isEqualTo(TrialResult.Kind.FAILED);
        assertThat(end.message()).isEqualTo("last words");
        assertThat(judged(failed(3, 0, "NonZeroExit"), suite(SKIPPED)).kind()).isEqualTo(TrialResult.Kind.FAILED);
    }

    @Test
    void aProgramThatWasStoppedKeepsItsWords() {
        assertThat(judged(failed(-1, 9, "TimedOut"), suite(BAD)).message()).isEqualTo("last words");
        TrialResult cut = judged(failed(-1, 9, "TimedOut"), "<testsuite>" + BAD);
        assertThat(cut.reason()).isEqualTo("TimedOut");
        assertThat(cut.report()).isEmpty();
    }

    @Test
    void onlySkippedCasesArePending() {
        TrialResult end = judged(passed(1), suite(SKIPPED, SKIPPED));
        assertThat(end.kind()).isEqualTo(TrialResult.Kind.PENDING);
        assertThat(end.reason()).isEqualTo("TestsSkipped");
        assertThat(end.message()).isEqualTo("later: not here (all 2 cases were skipped)");
    }

    @Test
    void goodReportsAndThoseWithoutCasesPass() {
        TrialResult end = judged(passed(1), suite(GOOD, SKIPPED));
        assertThat(end.kind()).isEqualTo(TrialResult.Kind.PASSED);
        assertThat(end.report().orElseThrow().counts()).isEqualTo(new TrialRow.Counts(1, 1, 0));
        assertThat(judged(passed(1), suite()).kind()).isEqualTo(TrialResult.Kind.PASSED);
    }

    @Test
    void aReportThatIsMissingOrTooLargeOrSenselessIsAFailure() {
        TrialResult missing = ReportedEnd.unread(passed(0));
        assertThat(missing.reason()).isEqualTo("ReportInvalid");
        assertThat(missing.message()).contains("wrote no report to $QUIVER_OUTPUT");
        TrialResult large = ReportedEnd.unread(passed(1L << 30));
        assertThat(large.reason()).isEqualTo("ReportInvalid");
        assertThat(large.message()).contains("1073741824 bytes, at most 1048576");
        TrialResult senseless = judged(passed(1), "<testsuite>\n<oops");
        assertThat(senseless.reason()).isEqualTo("ReportInvalid");
        assertThat(senseless.message()).startsWith("the report: line 2, column ");
        assertThat(ReportedEnd.unread(failed(1, 0, "NonZeroExit")).message()).isEqualTo("last words");
    }

    @ParameterizedTest
    @EnumSource(
            value = TrialResult.Kind.class,
            names = {"LOST", "CUT_OFF"})
    void ofWhatWasLostNoReportIsRead(TrialResult.Kind kind) {
        TrialResult end = new TrialResult(kind, -1, 0, "Drained", "", Duration.ZERO).leaving(TrialOutput.lost(9));
        assertThat(ReportedEnd.reads(end)).isFalse();
        assertThat(ReportedEnd.unread(end)).isEqualTo(end);
    }

    @Test
    void theMessageHasItsEndWhateverTheCaseSays() {
        String lengthy =
                "<testcase name='" + "n".repeat(9000) + "'><failure message='" + "漢".repeat(9000) + "'/></testcase>";
        String message = judged(passed(1), suite(lengthy)).message();
        assertThat(Utf8.length(message)).isBetween(500, Tail.MAX_BYTES);
        assertThat(message).startsWith("nnn").endsWith(" (1 of 1 cases failed)");
    }
}
