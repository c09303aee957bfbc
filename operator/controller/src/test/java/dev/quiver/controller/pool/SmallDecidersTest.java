package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.IntOrString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.pool.podstatus.Silence;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.Rollout;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerRecord;

class SmallDecidersTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void namesTakeTheLowestFreeOrdinalOfTheirHash() {
        Set<String> taken = Set.of("p-abc-0", "p-abc-2", "p-old-1");
        assertThat(PodNames.next("p", "abc", taken, 3)).containsExactly("p-abc-1", "p-abc-3", "p-abc-4");
        assertThat(PodNames.ordinal("p-abc-12")).hasValue(12);
        assertThat(PodNames.ordinal("p-abc-x")).isEmpty();
    }

    @Test
    void slowStartDoublesItsBatches() {
        List<Integer> all = IntStream.range(0, 12).boxed().toList();
        assertThat(SlowStart.batches(all)).extracting(List::size).containsExactly(1, 2, 4, 5);
        assertThat(SlowStart.batches(all).stream().flatMap(List::stream)).containsExactlyElementsOf(all);
        assertThat(SlowStart.batches(List.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"25%,0,4,1,0", "25%,0,3,1,0", "25%,0,9,2,0", "0,25%,3,0,1", "0,0,5,1,0", "50%,50%,3,1,2", "9,0,3,3,0"})
    void boundsRoundAsADeploymentsDo(String unavailable, String surge, int wanted, int pods, int more) {
        RolloutBounds bounds = RolloutBounds.of(new Rollout(value(unavailable), value(surge)), wanted);
        assertThat(bounds).isEqualTo(new RolloutBounds(pods, more));
    }

    @ParameterizedTest
    @CsvSource({"2,0,2,0", "0,1,0,1", "1,25%,1,1"})
    void aNumberInQuotesIsANumber(String unavailable, String surge, int pods, int more) {
        Rollout quoted = new Rollout(new IntOrString(unavailable), new IntOrString(surge));
        assertThat(RolloutBounds.of(quoted, 4)).isEqualTo(new RolloutBounds(pods, more));
    }

    @Test
    void replacementsBackOffToFiveMinutes() {
        ReplacementBackoff backoff = ReplacementBackoff.NONE;
        assertThat(backoff.from()).isBefore(NOW);
        for (long seconds : new long[] {10, 20, 40, 80, 160, 300, 300, 300}) {
            backoff = backoff.replaced(NOW);
            assertThat(Duration.between(NOW, backoff.from())).isEqualTo(Duration.ofSeconds(seconds));
        }
    }

    @Test
    void refusalsBackOffToAMinuteAndAreForgottenWithTheSpec() {
        var no = new WorkerPods.Creation.Refused(new ApiRefusal(false, "exceeded quota"));
        Refusal first = Refusal.after(Optional.empty(), 1, no, NOW);
        Refusal second = Refusal.after(Optional.of(first), 1, no, NOW);
        assertThat(first.until()).isEqualTo(NOW.plusSeconds(5));
        assertThat(second.until()).isEqualTo(NOW.plusSeconds(10));
        assertThat(second.holds(1, NOW.plusSeconds(9))).isTrue();
        assertThat(second.holds(1, NOW.plusSeconds(10))).isFalse();
        assertThat(second.holds(2, NOW))
                .as("another generation is tried at once")
                .isFalse();
    }

    @Test
    void silenceIsJudgedOnlyOfWorkersThatWereHeardAndWhileRedisIsThere() {
        Silence silence = new Silence();
        Optional<WorkerRegistry> empty = Optional.of(WorkerRegistry.of(List.of(), NOW));
        StoreState up = new StoreState.Up(NOW);
        StoreState away = new StoreState.Away(NOW, StoreReason.Unreachable, "gone");
        assertThat(silence.silent("never", PodStage.STARTING, empty, up, NOW.plusSeconds(300)))
                .isFalse();
        assertThat(silence.silent("ready", PodStage.READY, empty, up, NOW)).isFalse();
        assertThat(silence.silent("ready", PodStage.UNREADY, empty, up, NOW.plusSeconds(29)))
                .isFalse();
        assertThat(silence.silent("ready", PodStage.UNREADY, empty, away, NOW.plusSeconds(60)))
                .isFalse();
        assertThat(silence.silent("ready", PodStage.UNREADY, empty, up, NOW.plusSeconds(30)))
                .isTrue();
        StoreState back = new StoreState.Up(NOW.plusSeconds(50));
        assertThat(silence.silent("ready", PodStage.UNREADY, empty, back, NOW.plusSeconds(60)))
                .as("Redis is back for ten seconds only")
                .isFalse();
    }

    @Test
    void aRosterThatWasNotReadSaysNothingOfAWorkersSilence() {
        Silence silence = new Silence();
        StoreState up = new StoreState.Up(NOW.minusSeconds(3600));
        silence.silent("ready", PodStage.READY, Optional.of(WorkerRegistry.of(List.of(), NOW)), up, NOW);
        Instant later = NOW.plusSeconds(60);
        assertThat(silence.silent("ready", PodStage.READY, Optional.empty(), up, later))
                .isFalse();
        assertThat(silence.silent("ready", PodStage.READY, Optional.of(WorkerRegistry.of(List.of(), later)), up, later))
                .isTrue();
    }

    @Test
    void aWorkerOfAPoolThatWasNotLookedAtForLongHasItsHalfMinuteToo() {
        Silence silence = new Silence();
        StoreState up = new StoreState.Up(NOW.minusSeconds(3600));
        silence.silent("p", PodStage.READY, Optional.of(WorkerRegistry.of(List.of(worker("p")), NOW)), up, NOW);
        Instant noticed = NOW.plusSeconds(60);
        assertThat(silence.silent("p", PodStage.READY, empty(noticed), up, noticed))
                .isFalse();
        Instant deadline = noticed.minus(WorkerRegistry.HEARTBEAT_TIMEOUT).plus(Silence.TOO_LONG);
        assertThat(silence.deadline("p", up)).contains(deadline);
        assertThat(silence.silent("p", PodStage.READY, empty(deadline.minusSeconds(1)), up, deadline.minusSeconds(1)))
                .isFalse();
        assertThat(silence.silent("p", PodStage.READY, empty(deadline), up, deadline))
                .isTrue();
    }

    private static Optional<WorkerRegistry> empty(Instant at) {
        return Optional.of(WorkerRegistry.of(List.of(), at));
    }

    private static WorkerRecord worker(String podUid) {
        WorkerIdentity identity = new WorkerIdentity("p", "pool", "pod", podUid, "node", 1);
        return new WorkerRecord(
                "s", identity, 0, false, List.of(), Optional.empty(), Optional.empty(), 1000, NOW, NOW, NOW);
    }

    private static IntOrString value(String text) {
        return text.endsWith("%") ? new IntOrString(text) : new IntOrString(Integer.parseInt(text));
    }
}
