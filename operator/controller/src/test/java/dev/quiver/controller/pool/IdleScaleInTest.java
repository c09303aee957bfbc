package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.crds.v1alpha1.Rollout;

class IdleScaleInTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant BEFORE = NOW.minusSeconds(3);
    private static final DrainMark TOLD = new DrainMark(true, Optional.of(BEFORE));

    private static WorkerPod pod(String name, PodStage stage, OptionalInt busy, boolean draining, Instant heard) {
        return new WorkerPod(
                name,
                name,
                "h",
                NOW.minusSeconds(100),
                stage,
                "",
                Optional.empty(),
                busy,
                draining,
                Optional.empty(),
                false,
                Optional.empty(),
                busy.isPresent() ? Optional.of(heard) : Optional.empty());
    }

    private static WorkerPod runs(String name, int slots) {
        return pod(name, PodStage.READY, OptionalInt.of(slots), false, NOW);
    }

    private static WorkerPod drains(String name, int slots, Instant heard) {
        return pod(name, PodStage.READY, OptionalInt.of(slots), true, heard);
    }

    private static PoolPlan plan(int wanted, int most, Map<String, DrainMark> marks, WorkerPod... pods) {
        return PoolPlanner.plan(
                PoolFactsBuilder.builder()
                        .pool("p")
                        .wanted(wanted)
                        .hash("h")
                        .bounds(RolloutBounds.of(Rollout.DEFAULT, wanted))
                        .pods(List.of(pods))
                        .replaceFrom(Instant.EPOCH)
                        .most(OptionalInt.of(most))
                        .marks(marks)
                        .build(),
                NOW);
    }

    private static List<String> deleted(PoolPlan plan) {
        return plan.deletions().stream().map(it -> it.pod().name()).toList();
    }

    private static List<String> names(List<WorkerPod> pods) {
        return pods.stream().map(WorkerPod::name).toList();
    }

    @Test
    void tellsAnIdlePodFirstAndDeletesNone() {
        PoolPlan plan = plan(1, 9, Map.of(), runs("busy", 1), runs("idle", 0));
        assertThat(deleted(plan)).isEmpty();
        assertThat(names(plan.drains())).containsExactly("idle");
        assertThat(plan.resumes()).isEmpty();
    }

    @Test
    void aPodThatWasToldIsNotToldAgain() {
        PoolPlan plan = plan(1, 9, Map.of("idle", TOLD), runs("busy", 1), runs("idle", 0));
        assertThat(plan.drains()).isEmpty();
        assertThat(plan.resumes()).isEmpty();
        assertThat(deleted(plan)).isEmpty();
    }

    @Test
    void deletesAPodOnceItSaysThatItDrainsAndIsIdle() {
        PoolPlan plan = plan(1, 9, Map.of("idle", TOLD), runs("busy", 1), drains("idle", 0, NOW));
        assertThat(deleted(plan)).containsExactly("idle");
    }

    /** Its word from before it was told may be of an earlier drain that it has left since. */
    @Test
    void anOldHeartbeatIsNoAnswer() {
        PoolPlan plan = plan(1, 9, Map.of("idle", TOLD), runs("busy", 1), drains("idle", 0, BEFORE));
        assertThat(deleted(plan)).isEmpty();
        assertThat(plan.drains()).isEmpty();
    }

    @Test
    void aPodThatTookATaskBeforeItHeardStays() {
        PoolPlan plan = plan(1, 9, Map.of("late", TOLD), runs("other", 2), drains("late", 1, NOW));
        assertThat(deleted(plan)).isEmpty();
        assertThat(names(plan.resumes())).containsExactly("late");
    }

    @Test
    void aPodThatIsNeededAgainMayTakeWork() {
        PoolPlan plan = plan(2, 9, Map.of("idle", TOLD), runs("busy", 1), drains("idle", 0, NOW));
        assertThat(deleted(plan)).isEmpty();
        assertThat(plan.create()).isEmpty();
        assertThat(names(plan.resumes())).containsExactly("idle");
    }

    /** It was told once; its next heartbeat shows that it heard. */
    @Test
    void aMarkThatWasTakenBackIsTakenBackOnce() {
        Map<String, DrainMark> marks = Map.of("idle", new DrainMark(false, Optional.of(BEFORE)));
        assertThat(plan(2, 9, marks, runs("busy", 1), drains("idle", 0, NOW)).resumes())
                .isEmpty();
    }

    /** The leader before has told it, and this one does not know. */
    @Test
    void takesUpOrBackWhatAnEarlierLeaderTold() {
        assertThat(names(plan(2, 9, Map.of(), runs("busy", 1), drains("idle", 0, NOW))
                        .resumes()))
                .containsExactly("idle");
        PoolPlan plan = plan(1, 9, Map.of(), runs("busy", 1), drains("idle", 0, NOW), runs("idle too", 0));
        assertThat(names(plan.drains())).hasSize(2).contains("idle");
    }

    /** It does not know yet how many there should be. */
    @Test
    void aLeaderWithoutFiguresLeavesWhatTheOneBeforeTold() {
        PoolPlan plan = PoolPlanner.plan(
                PoolFactsBuilder.builder()
                        .pool("p")
                        .wanted(2)
                        .hash("h")
                        .bounds(RolloutBounds.of(Rollout.DEFAULT, 2))
                        .pods(List.of(runs("busy", 1), drains("idle", 0, NOW)))
                        .replaceFrom(Instant.EPOCH)
                        .most(OptionalInt.of(9))
                        .holds(true)
                        .build(),
                NOW);
        assertThat(plan.resumes()).isEmpty();
        assertThat(plan.drains()).isEmpty();
        assertThat(plan.deletions()).isEmpty();
    }

    @Test
    void looksAgainWhileAnAnswerIsAwaited() {
        assertThat(plan(1, 9, Map.of("idle", TOLD), runs("busy", 1), runs("idle", 0))
                        .requeueAt())
                .contains(NOW.plusSeconds(1));
        assertThat(plan(2, 9, Map.of(), runs("busy", 1), runs("idle", 0)).requeueAt())
                .isEmpty();
    }

    /** Its node is lost: its tasks run elsewhere. */
    @Test
    void aPodThatFellSilentIsReplacedWhateverItWasTold() {
        WorkerPod silent = new WorkerPod(
                "silent",
                "silent",
                "h",
                NOW.minusSeconds(100),
                PodStage.READY,
                "",
                Optional.empty(),
                OptionalInt.empty(),
                false,
                Optional.empty(),
                true,
                Optional.empty(),
                Optional.empty());
        PoolPlan plan = plan(1, 9, Map.of("silent", TOLD), runs("busy", 1), silent);
        assertThat(plan.replacesBroken()).isTrue();
        assertThat(deleted(plan)).containsExactly("silent");
        assertThat(plan.create()).isEmpty();
    }

    @Test
    void noPodWithATaskGoesAndNoneThatIsNotHeard() {
        WorkerPod unheard = pod("unheard", PodStage.READY, OptionalInt.empty(), false, NOW);
        PoolPlan plan = plan(0, 9, Map.of(), runs("a", 1), runs("b", 4), unheard);
        assertThat(deleted(plan)).isEmpty();
        assertThat(plan.drains()).isEmpty();
    }

    @Test
    void aPodThatHasNotStartedGoesAtOnce() {
        WorkerPod starting = pod("starting", PodStage.STARTING, OptionalInt.empty(), false, NOW);
        WorkerPod unready = pod("unready", PodStage.UNREADY, OptionalInt.of(2), false, NOW);
        PoolPlan plan = plan(1, 9, Map.of(), starting, unready, runs("idle", 0));
        assertThat(deleted(plan)).containsExactly("starting");
        assertThat(names(plan.drains())).containsExactly("idle");
    }

    /** Above its maximum a pool takes no more work than it may have pods for, and ends no task. */
    @Test
    void aBusyPodAboveTheMaximumDrainsWithoutATimeLimit() {
        WorkerPod much = runs("much", 4);
        WorkerPod little = runs("little", 1);
        PoolPlan plan = plan(1, 1, Map.of(), much, little);
        assertThat(deleted(plan)).isEmpty();
        assertThat(names(plan.drains())).containsExactly("little");
        PoolPlan next = plan(1, 1, Map.of("little", TOLD), much, drains("little", 1, NOW));
        assertThat(deleted(next)).isEmpty();
        assertThat(next.resumes()).isEmpty();
        assertThat(deleted(plan(1, 1, Map.of("little", TOLD), much, drains("little", 0, NOW))))
                .containsExactly("little");
    }

    /** A pool without autoscaling that was to shrink and does not any more. */
    @Test
    void aPodThatDrainsForNoReasonMayTakeWorkAgainInAnyPool() {
        PoolPlan plan = PoolPlanner.plan(
                PoolFactsBuilder.builder()
                        .pool("p")
                        .wanted(1)
                        .hash("h")
                        .bounds(RolloutBounds.of(Rollout.DEFAULT, 1))
                        .pods(List.of(drains("left", 0, NOW)))
                        .replaceFrom(Instant.EPOCH)
                        .build(),
                NOW);
        assertThat(names(plan.resumes())).containsExactly("left");
    }

    /** Redis lost the mark, or came back with an older one. */
    @Test
    void aWordThatAPodDoesNotHeedIsToldAgain() {
        WorkerPod late = pod("idle", PodStage.READY, OptionalInt.of(0), false, NOW.plusSeconds(11));
        PoolMemory told = PoolMemory.EMPTY.told(runs("idle", 0), true);
        assertThat(told.keeping(List.of(runs("idle", 0))).marks()).containsOnlyKeys("idle");
        Map<String, DrainMark> kept = told.keeping(List.of(late)).marks();
        assertThat(names(plan(1, 9, kept, runs("busy", 1), late).drains())).containsExactly("idle");

        WorkerPod still = drains("idle", 0, NOW.plusSeconds(11));
        PoolMemory takenBack = PoolMemory.EMPTY.told(drains("idle", 0, NOW), false);
        Map<String, DrainMark> after = takenBack.keeping(List.of(still)).marks();
        assertThat(names(plan(2, 9, after, runs("busy", 1), still).resumes())).containsExactly("idle");
    }

    @Test
    void forgetsMarksOfPodsThatAreGoneOrHaveHeard() {
        PoolMemory memory = PoolMemory.EMPTY
                .told(runs("a", 0), true)
                .told(runs("b", 0), false)
                .told(runs("c", 0), false)
                .told(runs("gone", 0), true);
        assertThat(memory.keeping(List.of(runs("a", 0), runs("b", 0), drains("c", 0, NOW)))
                        .marks())
                .containsOnlyKeys("a", "c");
    }
}
