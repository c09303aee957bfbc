package dev.quiver.lifecycle.task.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.task.work.Relocation;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementRow;
import dev.quiver.lifecycle.worker.TrialFailure;

class DoubtTest {

    private static Claim claim(String document, String progress) {
        TaskLeaf leaf = TaskLeaf.of("tasks:p", "t", 1, 3, 0, document, "", "", progress, Relocation.parse(""), "");
        return new Claim("tasks:p", "t", 1, Place.slot(0, 1), leaf);
    }

    private static Claim unsure() {
        return claim("{\"name\":\"t\",\"handler\":\"h\",\"contingency\":true}", "");
    }

    private static Settlement failed(Claim claim, Duration ran, String reason, Retry retry) {
        return new Settlement.Failed(
                claim, ran, TrialFailure.of("t", 1, Optional.empty(), Optional.empty(), reason, "no"), retry);
    }

    private static Optional<String> kind(Settlement said, Settlement later) {
        return Doubt.row(said, later).map(SettlementRow::kind);
    }

    private static Optional<String> kind(Settlement said) {
        return kind(said, said);
    }

    private static final Duration RAN = Duration.ofMillis(1);

    @Test
    void aFailureMayHaveDoneItAndWaitsAsItsDocumentHasIt() {
        Settlement said = failed(unsure(), RAN, "Exception", Retry.AT_ONCE);
        assertThat(kind(said)).contains("u0");
        assertThat(kind(said, failed(unsure(), RAN, "Exception", new Retry.After(Duration.ofSeconds(2)))))
                .contains("u2000");
        assertThat(kind(failed(unsure(), RAN, "ResultTooLarge", Retry.NEVER))).contains("u0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DoNotRetry", "InputInvalid", "HandlerNotFound"})
    void theseReasonsSayThatNothingWasDone(String reason) {
        assertThat(kind(failed(unsure(), RAN, reason, Retry.NEVER))).isEmpty();
    }

    @Test
    void neitherDoATrialThatNeverBeganAndOneThatSaysWhenItIsToBeTriedAgain() {
        assertThat(kind(failed(unsure(), Duration.ZERO, "CannotStart", Retry.AT_ONCE)))
                .isEmpty();
        assertThat(kind(failed(unsure(), RAN, "Exception", new Retry.After(RAN))))
                .isEmpty();
        assertThat(kind(new Settlement.Returned(unsure()))).isEmpty();
        assertThat(kind(new Settlement.Passed(unsure(), RAN))).isEmpty();
    }

    @Test
    void aTrialThatWasBrokenOffMayHaveDoneIt() {
        assertThat(kind(Settlement.Returned.brokenOff(unsure(), Optional.empty())))
                .contains("o");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plan", "doubt"})
    void aPlanAndAContingencyDoNothing(String progress) {
        Claim claim = claim("{\"name\":\"t\",\"handler\":\"h\",\"planMillis\":5000,\"contingency\":true}", progress);
        assertThat(kind(failed(claim, RAN, "Exception", Retry.AT_ONCE))).isEmpty();
        assertThat(kind(Settlement.Returned.brokenOff(claim, Optional.empty()))).isEmpty();
    }

    @Test
    void othersHaveNoContingency() {
        Claim plain = claim("{\"name\":\"t\",\"handler\":\"h\"}", "");
        assertThat(kind(failed(plain, RAN, "Exception", Retry.AT_ONCE))).isEmpty();
    }
}
