package dev.quiver.supervisor.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.slots.DataFormat;
import dev.quiver.slots.Progress;
import dev.quiver.slots.Reason;
import dev.quiver.slots.SlotOutput;
import dev.quiver.slots.SlotResult;

class TrialResultsTest {

    private static SlotResult result(Reason reason, int exitCode, int signal, Duration... retryAfter) {
        return result(reason, true, exitCode, signal, retryAfter);
    }

    private static SlotResult result(Reason reason, boolean started, int exitCode, int signal, Duration... retryAfter) {
        Duration none = Duration.ZERO;
        return new SlotResult(
                1,
                7,
                false,
                started,
                reason,
                exitCode,
                signal,
                none,
                Duration.ofMillis(5),
                none,
                0,
                0,
                0,
                new SlotOutput(0, DataFormat.BYTES, false),
                new Progress(0, 0),
                Arrays.stream(retryAfter).findFirst(),
                "");
    }

    @ParameterizedTest
    @CsvSource({
        "NON_ZERO_EXIT, FAILED",
        "SIGNALLED, FAILED",
        "OOM_KILLED, FAILED",
        "COMMAND_NOT_FOUND, FAILED",
        "TIMED_OUT, FAILED",
        "OUTPUT_TOO_LARGE, FAILED",
        "EXCEPTION, FAILED",
        "DO_NOT_RETRY, FAILED",
        "HANDLER_NOT_FOUND, FAILED",
        "HANDLER_DIED, FAILED",
        "INPUT_INVALID, FAILED",
        "RUNNER_DIED, LOST",
        "DRAINED, LOST",
        "CANCELLED, FAILED",
    })
    void saysWhatEachReasonMeansForTheTask(Reason reason, TrialResult.Kind kind) {
        assertThat(TrialResults.failed(result(reason, 1, 0), false, "words").kind())
                .isEqualTo(kind);
    }

    @Test
    void aTaskThatEndsWithItsContainerCostsNothing() {
        assertThat(TrialResults.failed(result(Reason.DRAINED, -1, 15), true, "").kind())
                .isEqualTo(TrialResult.Kind.CUT_OFF);
        assertThat(TrialResults.failed(result(Reason.DRAINED, false, -1, 0), false, "")
                        .kind())
                .as("handed back before the word came")
                .isEqualTo(TrialResult.Kind.CUT_OFF);
    }

    @Test
    void keepsExitCodeSignalReasonAndLastWords() {
        TrialResult ending = TrialResults.failed(result(Reason.SIGNALLED, -1, 11), false, "core dumped");
        assertThat(ending)
                .isEqualTo(new TrialResult(
                        TrialResult.Kind.FAILED, -1, 11, "Signalled", "core dumped", Duration.ofMillis(5)));
    }

    @Test
    void passesOnWhatAHandlerSaysOfTheNextTrial() {
        assertThat(TrialResults.failed(result(Reason.EXCEPTION, -1, 0), false, "")
                        .retry())
                .isEqualTo(Retry.AT_ONCE);
        assertThat(TrialResults.failed(result(Reason.DO_NOT_RETRY, -1, 0), false, "")
                        .retry())
                .isEqualTo(Retry.NEVER);
        assertThat(TrialResults.failed(result(Reason.EXCEPTION, -1, 0, Duration.ofSeconds(3)), false, "")
                        .retry())
                .isEqualTo(new Retry.After(Duration.ofSeconds(3)));
    }
}
