package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.engine.slots.Permits;
import dev.quiver.supervisor.engine.slots.SlotTable;
import dev.quiver.supervisor.engine.store.EngineStats;
import dev.quiver.supervisor.engine.store.Mailbox;
import dev.quiver.supervisor.engine.store.StoreCalls;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.NoopExecutor;
import dev.quiver.supervisor.execution.TrialOutput;
import dev.quiver.supervisor.execution.TrialResult;

/** Which reports are read when, without an engine: the test reads its letters. */
class ReportsTest {

    private static final byte[] FAILED =
            "<testsuite><testcase name='a'><failure/></testcase></testsuite>".getBytes(StandardCharsets.UTF_8);

    private final Mailbox mailbox = new Mailbox(() -> {});
    private final StoreCalls calls = new StoreCalls(mailbox, new StoreTrouble(), new EngineStats(), fault -> {});
    private final List<String> judged = new ArrayList<>();
    private int read;

    @AfterEach
    void close() {
        calls.close();
    }

    private Reports reports(HeldBytes memory) {
        return new Reports(new EngineContext(
                new SlotTable(new NoopExecutor(1)),
                new Permits(),
                calls,
                new EngineStats(),
                () -> new byte[0],
                memory,
                ResultPacks.NONE,
                new Slowness()));
    }

    private TrialResult passed(Optional<byte[]> report) {
        TrialOutput output = new TrialOutput(FAILED.length, () -> {
            read++;
            return report.map(bytes -> new ExecutionInput.Payload(bytes, ExecutionInput.Format.BYTES, false));
        });
        return TrialResult.passed(Duration.ofMillis(1), output);
    }

    private void judge(Reports reports, TrialResult ending) {
        reports.judge(null, ending, end -> judged.add(end.reason()));
    }

    private void readLetters(int most) {
        for (int i = 0; i < most; i++) {
            await().until(() -> !mailbox.isEmpty());
            mailbox.poll().run();
        }
    }

    @Test
    void twoAreReadAtATimeAndTheOthersInTheirTurn() {
        Reports reports = reports(HeldBytes.of(1 << 20));
        for (int i = 0; i < 5; i++) {
            judge(reports, passed(Optional.of(FAILED)));
        }
        assertThat(read).isEqualTo(2);
        assertThat(judged).as("nobody judges on this thread").isEmpty();
        readLetters(5);
        assertThat(judged).hasSize(5).containsOnly("TestsFailed");
        assertThat(mailbox.isEmpty()).isTrue();
    }

    @Test
    void withoutMemoryOneIsReadAtATimeAndGivesItsMemoryBack() {
        HeldBytes memory = HeldBytes.of(10);
        Reports reports = reports(memory);
        judge(reports, passed(Optional.of(FAILED)));
        judge(reports, passed(Optional.of(FAILED)));
        reports.readNext();
        assertThat(read).isEqualTo(1);
        readLetters(2);
        assertThat(judged).hasSize(2);
        assertThat(memory.roomForOutputs()).isEqualTo(10);
    }

    @Test
    void thoseThatWaitAreTakenAwayAndThoseThatAreReadComeByThemselves() {
        Reports reports = reports(HeldBytes.of(1 << 20));
        for (int i = 0; i < 4; i++) {
            judge(reports, passed(Optional.of(FAILED)));
        }
        assertThat(reports.takeWaiting()).hasSize(2);
        readLetters(2);
        assertThat(judged).hasSize(2);
        assertThat(read).isEqualTo(2);
    }

    @Test
    void aReportThatLeftWithItsSlotTakesAPassAlongAndNoFailure() {
        Reports reports = reports(HeldBytes.of(1 << 20));
        judge(reports, passed(Optional.empty()));
        TrialResult failed = new TrialResult(TrialResult.Kind.FAILED, 1, 0, "NonZeroExit", "", Duration.ZERO);
        judge(reports, failed.leaving(passed(Optional.empty()).output()));
        assertThat(judged).containsExactly(Settlements.WORKER_LOST, "NonZeroExit");
    }

    @Test
    void whatThereIsNothingToReadOfIsJudgedAtOnce() {
        judge(reports(HeldBytes.of(1 << 20)), TrialResult.passed(Duration.ZERO));
        assertThat(judged).containsExactly("ReportInvalid");
        assertThat(read).isZero();
    }
}
