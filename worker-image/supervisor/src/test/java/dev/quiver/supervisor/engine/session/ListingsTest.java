package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
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

/** Which lists are brought when, without an engine: the test reads its letters. */
class ListingsTest {

    private final Mailbox mailbox = new Mailbox(() -> {});
    private final StoreCalls calls = new StoreCalls(mailbox, new StoreTrouble(), new EngineStats(), fault -> {});
    private final Source source = new Source();
    private final List<String> ends = new ArrayList<>();
    private boolean wanted = true;

    private final Listings listings = new Listings(
            () -> wanted,
            new EngineContext(
                    new SlotTable(new NoopExecutor(1)),
                    new Permits(),
                    calls,
                    new EngineStats(),
                    () -> new byte[0],
                    HeldBytes.of(1 << 20),
                    ResultPacks.NONE,
                    new Slowness()));

    /** Takes pages, and refuses some. */
    private static final class Source implements WorkSource {
        private final List<String> pages = new CopyOnWriteArrayList<>();
        private volatile int refusals;
        private volatile boolean stale;

        @Override
        public String id() {
            return "source";
        }

        @Override
        public List<String> handlers() {
            return List.of();
        }

        @Override
        public StepCall prepare(StepRequest request) {
            throw new AssertionError();
        }

        @Override
        public synchronized boolean list(Claim claim, int page, String text) {
            if (refusals > 0) {
                refusals--;
                throw new StoreRefusedException(StoreRefusedException.Kind.OUT_OF_MEMORY, "full", null);
            }
            pages.add(page + " " + text.length());
            return !stale;
        }
    }

    @AfterEach
    void close() {
        calls.close();
    }

    private static ClaimedTask task() {
        return new ClaimedTask(null, new Claim("source", "0", 1, Place.slot(0, 1), null), null, 0);
    }

    private static TrialResult wrote(String list) {
        byte[] bytes = list.getBytes(StandardCharsets.UTF_8);
        return TrialResult.passed(
                Duration.ofMillis(1),
                new TrialOutput(
                        bytes.length,
                        () -> Optional.of(new ExecutionInput.Payload(bytes, ExecutionInput.Format.BYTES, false))));
    }

    private void bring(TrialResult ending) {
        listings.bring(source, task(), ending, end -> ends.add(end.kind() + " " + end.reason()));
    }

    private void readLetters(int most) {
        for (int i = 0; i < most; i++) {
            await().until(() -> !mailbox.isEmpty());
            mailbox.poll().run();
        }
    }

    @Test
    void pagesGoOneAfterTheOtherAndTheEndBehindThem() {
        bring(wrote("a\n".repeat(60_000)));
        assertThat(ends).isEmpty();
        readLetters(2);
        assertThat(source.pages).containsExactly("0 65536", "1 54464");
        assertThat(ends).containsExactly("PASSED ");
    }

    @Test
    void aPageThatRedisHasNoMemoryForIsSentAgain() {
        source.refusals = 3;
        bring(wrote("a\n"));
        readLetters(1);
        assertThat(source.pages).containsExactly("0 2");
        assertThat(ends).containsExactly("PASSED ");
    }

    @Test
    void aListThatNobodyWantsEndsAtItsNextPage() {
        source.stale = true;
        bring(wrote("a\n".repeat(60_000)));
        readLetters(1);
        assertThat(source.pages).hasSize(1);
        assertThat(ends).as("the step hears why").containsExactly("PASSED ");
    }

    @Test
    void twoAreBroughtAtATimeAndAllAreTakenAwayWithTheSession() {
        for (int i = 0; i < 5; i++) {
            bring(wrote("a\n"));
        }
        assertThat(source.pages.size()).isLessThanOrEqualTo(2);
        wanted = false;
        assertThat(listings.takeAll()).hasSize(5);
        readLetters(2);
        assertThat(ends).as("their slots were given back meanwhile").isEmpty();
    }

    @Test
    void whatFailedIsSettledAsItIsAndASenselessListIsAFailure() {
        bring(new TrialResult(TrialResult.Kind.FAILED, 3, 0, "NonZeroExit", "", Duration.ZERO));
        bring(TrialResult.passed(
                Duration.ZERO, new TrialOutput(1, Optional::empty, (from, length) -> Optional.of(new byte[] {-1}))));
        bring(TrialResult.passed(
                Duration.ZERO, new TrialOutput(1, Optional::empty, (from, length) -> Optional.empty())));
        assertThat(ends).containsExactly("FAILED NonZeroExit", "FAILED ListInvalid", "LOST WorkerLost");
    }

    @Test
    void aProgramThatWroteNothingPasses() {
        bring(TrialResult.passed(Duration.ZERO));
        assertThat(ends).containsExactly("PASSED ");
    }
}
