package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.IntOrString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.pool.PoolPlan.Cause;
import dev.quiver.controller.pool.PoolPlan.Deletion;
import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.crds.v1alpha1.Rollout;

class PoolPlannerTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String NEW = "bbbbbbbb";
    private static final String OLD = "aaaaaaaa";

    @Test
    void makesWhatIsMissingWithTheLowestFreeOrdinals() {
        List<WorkerPod> pods = List.of(pod(NEW, 1, PodStage.READY), pod(NEW, 3, PodStage.TERMINATING));
        assertThat(plan(4, pods).create()).containsExactly("p-" + NEW + "-0", "p-" + NEW + "-2", "p-" + NEW + "-4");
    }

    @Test
    void terminatingPodsDoNotCount() {
        List<WorkerPod> pods = List.of(pod(NEW, 0, PodStage.TERMINATING), pod(NEW, 1, PodStage.READY));
        assertThat(plan(2, pods).create()).hasSize(1);
        assertThat(plan(2, pods).deletions()).isEmpty();
    }

    @Test
    void letsGoWhatDoesNoWorkFirst() {
        WorkerPod unready = pod(NEW, 0, PodStage.UNREADY);
        WorkerPod draining = busy(pod(NEW, 1, PodStage.READY), 3, true);
        WorkerPod idle = busy(pod(NEW, 2, PodStage.READY), 0, false);
        WorkerPod little = busy(pod(NEW, 3, PodStage.READY), 1, false);
        WorkerPod much = busy(pod(NEW, 4, PodStage.READY), 4, false);
        WorkerPod unheard = pod(NEW, 5, PodStage.READY);
        List<WorkerPod> all = List.of(much, unheard, idle, little, draining, unready);
        assertThat(gone(plan(5, all))).containsExactly(unready);
        assertThat(gone(plan(2, all))).containsExactly(unready, draining, idle, little);
        assertThat(gone(plan(0, all))).hasSize(6);
    }

    /** The youngest has the least behind it; of pods that were made together the first by name goes. */
    @Test
    void ofPodsThatDoEquallyMuchTheYoungestGoesFirst() {
        WorkerPod old = madeAt(busy(pod(NEW, 0, PodStage.READY), 0, false), NOW.minusSeconds(300));
        WorkerPod young = madeAt(busy(pod(NEW, 1, PodStage.READY), 0, false), NOW.minusSeconds(10));
        WorkerPod first = madeAt(busy(pod(NEW, 2, PodStage.READY), 0, false), NOW.minusSeconds(60));
        WorkerPod second = madeAt(busy(pod(NEW, 3, PodStage.READY), 0, false), NOW.minusSeconds(60));
        WorkerPod busy = madeAt(busy(pod(NEW, 4, PodStage.READY), 1, false), NOW.minusSeconds(1));
        List<WorkerPod> all = List.of(old, busy, second, young, first);
        assertThat(gone(plan(4, all))).containsExactly(young);
        assertThat(gone(plan(3, all))).containsExactly(young, first);
        assertThat(gone(plan(1, all))).containsExactly(young, first, second, old);
    }

    @Test
    void replacesBrokenPodsAndMakesOthersInTheSamePlan() {
        WorkerPod ended = pod(NEW, 0, PodStage.ENDED);
        PoolPlan plan = plan(2, List.of(ended, pod(NEW, 1, PodStage.READY)));
        assertThat(plan.deletions()).containsExactly(new Deletion(ended, Cause.REPLACED));
        assertThat(plan.create()).containsExactly("p-" + NEW + "-2");
    }

    @Test
    void leavesBrokenPodsAloneWhileReplacementsAreHeldBack() {
        Instant later = NOW.plusSeconds(20);
        PoolPlan plan = PoolPlanner.plan(
                new PoolFacts(
                        "p",
                        1,
                        NEW,
                        bounds(1),
                        List.of(pod(NEW, 0, PodStage.ENDED)),
                        later,
                        OptionalInt.empty(),
                        false,
                        Map.of()),
                NOW);
        assertThat(plan.deletions()).isEmpty();
        assertThat(plan.create()).isEmpty();
        assertThat(plan.requeueAt()).contains(later);
    }

    @ParameterizedTest
    @CsvSource({"3,false", "10,true", "30,true"})
    void givesACrashingPodTenSeconds(int secondsAgo, boolean replaced) {
        WorkerPod crashing = crashed(pod(NEW, 0, PodStage.CRASHING), NOW.minusSeconds(secondsAgo));
        PoolPlan plan = plan(1, List.of(crashing));
        assertThat(plan.replacesBroken()).isEqualTo(replaced);
        if (!replaced) {
            assertThat(plan.requeueAt()).contains(NOW.plus(Duration.ofSeconds(10 - secondsAgo)));
        }
    }

    @Test
    void replacesAPodWhoseContainerBrokeTheRulesOfTheSlotsThoughItIsReady() {
        WorkerPod hostile = troubled(pod(NEW, 0, PodStage.READY));
        PoolPlan plan = plan(1, List.of(hostile));
        assertThat(gone(plan)).containsExactly(hostile);
        assertThat(plan.create()).hasSize(1);
        assertThat(hostile.available()).isFalse();
        assertThat(hostile.problem()).contains("words ran backwards");
    }

    @Test
    void replacesAWorkerThatFellSilent() {
        assertThat(plan(1, List.of(silent(pod(NEW, 0, PodStage.READY)))).replacesBroken())
                .isTrue();
    }

    @Test
    void rollsOneQuarterAtATimeWithoutSurge() {
        List<WorkerPod> pods = new ArrayList<>(pods(OLD, 4, PodStage.READY));
        PoolPlan plan = roll(4, "25%", "0", pods);
        assertThat(plan.deletions()).hasSize(1);
        assertThat(plan.create()).hasSize(1);
    }

    @Test
    void waitsForTheNewPodBeforeTakingTheNextOldOne() {
        List<WorkerPod> pods = new ArrayList<>(pods(OLD, 3, PodStage.READY));
        pods.add(pod(NEW, 0, PodStage.STARTING));
        PoolPlan plan = roll(4, "25%", "0", pods);
        assertThat(plan.deletions()).isEmpty();
        assertThat(plan.create()).isEmpty();
    }

    @Test
    void surgesBeforeItTakesAnythingAway() {
        PoolPlan plan = roll(4, "0", "2", pods(OLD, 4, PodStage.READY));
        assertThat(plan.create()).hasSize(2);
        assertThat(plan.deletions()).isEmpty();
    }

    @Test
    void takesOldPodsThatAreNotReadyBeforeReadyOnes() {
        List<WorkerPod> pods = new ArrayList<>(pods(OLD, 3, PodStage.READY));
        WorkerPod blocked = pod(OLD, 9, PodStage.IMAGE_FAILED);
        pods.add(blocked);
        assertThat(gone(roll(4, "25%", "0", pods))).containsExactly(blocked);
    }

    @Test
    void takesOldPodsThatAreDeadThoughTheNewOnesNeverGetReady() {
        List<WorkerPod> pods = new ArrayList<>(pods(OLD, 2, PodStage.READY));
        WorkerPod dead = pod(OLD, 9, PodStage.ENDED);
        pods.add(dead);
        pods.add(pod(NEW, 0, PodStage.IMAGE_FAILED));
        PoolPlan plan = roll(4, "25%", "0", pods);
        assertThat(gone(plan)).containsExactly(dead);
        assertThat(plan.create()).hasSize(1);
    }

    @Test
    void everyRollEndsWithNewPodsOnlyAndKeepsItsBounds() {
        for (String[] bounds :
                new String[][] {{"25%", "0"}, {"0", "1"}, {"1", "1"}, {"0", "0"}, {"100%", "0"}, {"0", "100%"}}) {
            for (int wanted = 1; wanted <= 9; wanted++) {
                assertThat(rollToTheEnd(wanted, bounds[0], bounds[1])).isLessThan(60);
            }
        }
    }

    private static int rollToTheEnd(int wanted, String maxUnavailable, String maxSurge) {
        RolloutBounds bounds = RolloutBounds.of(new Rollout(value(maxUnavailable), value(maxSurge)), wanted);
        List<WorkerPod> pods = new ArrayList<>(pods(OLD, wanted, PodStage.READY));
        int rounds = 0;
        while (pods.stream().anyMatch(p -> p.hash().equals(OLD)) || pods.size() != wanted) {
            PoolPlan plan = PoolPlanner.plan(
                    new PoolFacts("p", wanted, NEW, bounds, pods, Instant.EPOCH, OptionalInt.empty(), false, Map.of()),
                    NOW);
            plan.deletions().forEach(d -> pods.remove(d.pod()));
            long ready = pods.stream().filter(WorkerPod::available).count();
            assertThat(ready).isGreaterThanOrEqualTo(wanted - bounds.maxUnavailable());
            plan.create()
                    .forEach(name -> pods.add(pod(NEW, PodNames.ordinal(name).orElseThrow(), PodStage.STARTING)));
            assertThat(pods.size()).isLessThanOrEqualTo(wanted + bounds.maxSurge());
            pods.replaceAll(p -> p.stage() == PodStage.STARTING ? staged(p, PodStage.READY) : p);
            rounds++;
            assertThat(rounds).as("rounds").isLessThan(60);
        }
        return rounds;
    }

    private static PoolPlan plan(int wanted, List<WorkerPod> pods) {
        return PoolPlanner.plan(
                new PoolFacts(
                        "p", wanted, NEW, bounds(wanted), pods, Instant.EPOCH, OptionalInt.empty(), false, Map.of()),
                NOW);
    }

    private static PoolPlan roll(int wanted, String maxUnavailable, String maxSurge, List<WorkerPod> pods) {
        RolloutBounds bounds = RolloutBounds.of(new Rollout(value(maxUnavailable), value(maxSurge)), wanted);
        return PoolPlanner.plan(
                new PoolFacts("p", wanted, NEW, bounds, pods, Instant.EPOCH, OptionalInt.empty(), false, Map.of()),
                NOW);
    }

    private static IntOrString value(String text) {
        return text.endsWith("%") ? new IntOrString(text) : new IntOrString(Integer.parseInt(text));
    }

    private static RolloutBounds bounds(int wanted) {
        return RolloutBounds.of(Rollout.DEFAULT, wanted);
    }

    private static List<WorkerPod> gone(PoolPlan plan) {
        return plan.deletions().stream().map(Deletion::pod).toList();
    }

    private static List<WorkerPod> pods(String hash, int count, PodStage stage) {
        return IntStream.range(0, count).mapToObj(i -> pod(hash, i, stage)).toList();
    }

    private static WorkerPod pod(String hash, int ordinal, PodStage stage) {
        String name = "p-" + hash + "-" + ordinal;
        return new WorkerPod(
                name,
                "uid-" + name,
                hash,
                NOW.minusSeconds(100),
                stage,
                "",
                Optional.empty(),
                OptionalInt.empty(),
                false,
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty());
    }

    private static WorkerPod staged(WorkerPod p, PodStage stage) {
        return made(p, stage, p.since(), p.busySlots(), p.draining(), p.violation(), p.silent());
    }

    private static WorkerPod busy(WorkerPod p, int slots, boolean draining) {
        return made(p, p.stage(), p.since(), OptionalInt.of(slots), draining, p.violation(), p.silent());
    }

    private static WorkerPod madeAt(WorkerPod p, Instant created) {
        return new WorkerPod(
                p.name(),
                p.uid(),
                p.hash(),
                created,
                p.stage(),
                "",
                p.since(),
                p.busySlots(),
                p.draining(),
                p.violation(),
                p.silent(),
                Optional.empty(),
                Optional.empty());
    }

    private static WorkerPod crashed(WorkerPod p, Instant since) {
        return made(p, p.stage(), Optional.of(since), p.busySlots(), p.draining(), p.violation(), p.silent());
    }

    private static WorkerPod silent(WorkerPod p) {
        return made(p, p.stage(), p.since(), p.busySlots(), p.draining(), p.violation(), true);
    }

    private static WorkerPod troubled(WorkerPod p) {
        return made(
                p, p.stage(), p.since(), p.busySlots(), p.draining(), Optional.of("words ran backwards"), p.silent());
    }

    private static WorkerPod made(
            WorkerPod p,
            PodStage stage,
            Optional<Instant> since,
            OptionalInt busySlots,
            boolean draining,
            Optional<String> violation,
            boolean silent) {
        return new WorkerPod(
                p.name(),
                p.uid(),
                p.hash(),
                p.created(),
                stage,
                "",
                since,
                busySlots,
                draining,
                violation,
                silent,
                Optional.empty(),
                Optional.empty());
    }
}
