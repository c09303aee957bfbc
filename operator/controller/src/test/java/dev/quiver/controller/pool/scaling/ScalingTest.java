package dev.quiver.controller.pool.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.worker.SourceLoad;

class ScalingTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Scaling USUAL = new Scaling(0, 20, 4, Duration.ofSeconds(30), Duration.ofSeconds(30));

    private static SourceLoad load(long left, long running, long trials, double secondsEach) {
        return new SourceLoad(
                "s",
                left,
                running,
                0,
                trials,
                Duration.ofMillis(Math.round(trials * secondsEach * 1000)),
                Optional.of(Duration.ofSeconds(1)),
                Optional.of(Duration.ZERO),
                0,
                0,
                "");
    }

    /** Each session has its four slots busy with it. */
    private static SourceLoad limited(long queued, long maxWorkers, long sessions) {
        return new SourceLoad(
                "s",
                queued + 4 * sessions,
                4 * sessions,
                0,
                10,
                Duration.ofSeconds(100),
                Optional.empty(),
                Optional.of(Duration.ZERO),
                maxWorkers,
                sessions,
                "");
    }

    private static SourceLoad handled(String handler) {
        return new SourceLoad("s", 10_000, 0, 0, 0, Duration.ZERO, Optional.empty(), Optional.empty(), 0, 0, handler);
    }

    private static Crew crew(int pods, int busyPods, long busySlots) {
        return new Crew(pods, busyPods, busySlots, pods > 0, Set.of("served"), Set.of(), Map.of());
    }

    private static Crew idle(int pods) {
        return new Crew(
                pods,
                0,
                0,
                true,
                Set.of("served"),
                IntStream.range(0, pods).mapToObj(i -> "pod-" + i).collect(Collectors.toSet()),
                Map.of());
    }

    private static Decision decide(Crew crew, SourceLoad... loads) {
        return USUAL.decide(List.of(loads), crew, ScalingMemory.EMPTY, NOW);
    }

    @Test
    void aPoolWithoutWorkNeedsNoPod() {
        Decision decision = decide(crew(0, 0, 0));
        assertThat(decision.desired()).isZero();
        assertThat(decision.need()).contains(Need.NONE);
        assertThat(decision.until()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        // left, seconds each, pods
        "1,     10,   1",
        "5,     10,   1", // two would be filled, and one has them done in time
        "1000,  10,   20", // 83 by the work, and no more than the most
        "100,   10,   9", // 1,000 s in four slots of each pod within 30 s
        "8,     600,  2", // 40 by the work, and no more than the tasks fill
    })
    void asManyAsHaveTheWorkDoneInTimeAndNoMoreThanTheTasksFill(long left, double seconds, int pods) {
        assertThat(decide(crew(0, 0, 0), load(left, 0, 10, seconds)).desired()).isEqualTo(pods);
    }

    @Test
    void whatMayNotRunNowAsksForNoPod() {
        SourceLoad bounded = new SourceLoad(
                "s",
                1000,
                4,
                0,
                10,
                Duration.ofSeconds(6000),
                Optional.empty(),
                Optional.of(Duration.ZERO),
                0,
                1,
                "",
                8);
        assertThat(decide(crew(1, 1, 4), bounded).desired())
                .as("four run, four more may: two pods of four slots")
                .isEqualTo(2);
    }

    @Test
    void ofASourceThatIsNewATaskCountsAsATenthOfASecond() {
        assertThat(decide(crew(0, 0, 0), load(10_000, 0, 0, 0)).need().orElseThrow())
                .isEqualTo(new Need(9, 10_000, 0, 1000));
    }

    /** No task has ended yet, and the first began 40 s ago: a task takes that long at least. */
    @Test
    void aTaskTakesAtLeastAsLongAsTheRunningOnesDo() {
        SourceLoad begun = new SourceLoad(
                "s",
                12,
                4,
                0,
                0,
                Duration.ZERO,
                Optional.of(Duration.ofSeconds(40)),
                Optional.of(Duration.ofSeconds(40)),
                0,
                0,
                "");
        assertThat(decide(crew(1, 1, 4), begun).need().orElseThrow()).isEqualTo(new Need(3, 8, 0, 400));
        SourceLoad slower = new SourceLoad(
                "s",
                12,
                4,
                0,
                100,
                Duration.ofSeconds(1),
                Optional.of(Duration.ofSeconds(900)),
                Optional.of(Duration.ofSeconds(40)),
                0,
                0,
                "");
        assertThat(decide(crew(1, 1, 4), slower).need().orElseThrow()).isEqualTo(new Need(3, 8, 0, 400));
        SourceLoad resting = new SourceLoad(
                "s",
                8,
                0,
                0,
                100,
                Duration.ofSeconds(1),
                Optional.of(Duration.ofDays(2)),
                Optional.of(Duration.ofDays(1)),
                0,
                0,
                "");
        assertThat(decide(crew(0, 0, 0), resting).need().orElseThrow().pods())
                .as("it stood still since yesterday, and nothing of it runs")
                .isEqualTo(1);
    }

    @Test
    void delayedTasksHoldNoPod() {
        SourceLoad delayed =
                new SourceLoad("s", 5, 0, 5, 5, Duration.ofSeconds(5), Optional.empty(), Optional.empty(), 0, 0, "");
        assertThat(decide(crew(0, 0, 0), delayed).desired()).isZero();
    }

    /** A set of two workers with ten thousand tasks. */
    @Test
    void noMorePodsThanTheSourceLetsIn() {
        assertThat(decide(crew(0, 0, 0), limited(10_000, 2, 0)).desired()).isEqualTo(2);
        assertThat(decide(crew(1, 1, 4), limited(10_000, 2, 1)).desired()).isEqualTo(2);
        assertThat(decide(crew(2, 2, 8), limited(10_000, 2, 2)).desired()).isEqualTo(2);
        assertThat(decide(crew(0, 0, 0), limited(10_000, 2, 9)).desired()).isZero();
        assertThat(decide(crew(0, 0, 0), limited(1_000_000, 2, 0), load(100, 0, 10, 0.1))
                        .desired())
                .as("the other source needs a part of a pod")
                .isEqualTo(3);
    }

    @Test
    void aHandlerThatNobodyServesHoldsOnePod() {
        assertThat(decide(crew(1, 0, 0), handled("other")).need().orElseThrow())
                .isEqualTo(new Need(1, 10_000, 10_000, 0));
        assertThat(decide(crew(1, 0, 0), handled("served")).need().orElseThrow().pods())
                .isEqualTo(9);
        assertThat(decide(crew(0, 0, 0), handled("other")).need().orElseThrow().pods())
                .as("nobody is there who could know")
                .isEqualTo(9);
    }

    /** The cause does not matter: others like the pod that has nothing to do could not take these tasks either. */
    @Test
    void whatAnIdlePodDoesNotTakeHoldsOnePod() {
        SourceLoad still = new SourceLoad(
                "s",
                1000,
                0,
                0,
                10,
                Duration.ofSeconds(100),
                Optional.of(Duration.ofSeconds(60)),
                Optional.of(Duration.ofSeconds(11)),
                0,
                0,
                "");
        Decision first = USUAL.decide(List.of(still), idle(1), ScalingMemory.EMPTY, NOW);
        assertThat(first.desired()).isEqualTo(20);
        Decision later = USUAL.decide(List.of(still), idle(1), first.memory(), NOW.plusSeconds(10));
        assertThat(later.need().orElseThrow().pods()).isEqualTo(1);
        Decision goesOn = USUAL.decide(List.of(load(1000, 1, 10, 10)), idle(1), first.memory(), NOW.plusSeconds(10));
        assertThat(goesOn.need().orElseThrow().pods()).isGreaterThan(20);
        Decision busyAgain = USUAL.decide(List.of(still), crew(1, 1, 4), first.memory(), NOW.plusSeconds(10));
        assertThat(busyAgain.need().orElseThrow().pods()).isGreaterThan(20);
    }

    @Test
    void podsStayForTheCoolDown() {
        Decision much = USUAL.decide(List.of(load(40, 0, 10, 100)), crew(0, 0, 0), ScalingMemory.EMPTY, NOW);
        assertThat(much.desired()).isEqualTo(10);
        Decision less = USUAL.decide(List.of(load(12, 0, 10, 100)), crew(10, 0, 0), much.memory(), NOW.plusSeconds(50));
        assertThat(less.desired()).as("needed until a moment ago").isEqualTo(10);
        assertThat(less.until()).contains(NOW.plusSeconds(80));
        Decision none = USUAL.decide(List.of(), crew(10, 0, 0), less.memory(), NOW.plusSeconds(60));
        assertThat(none.desired()).isEqualTo(10);
        assertThat(none.until()).contains(NOW.plusSeconds(80));
        Decision fallen = USUAL.decide(List.of(), crew(10, 0, 0), none.memory(), NOW.plusSeconds(80));
        assertThat(fallen.desired()).isEqualTo(3);
        assertThat(fallen.until()).contains(NOW.plusSeconds(90));
        Decision over = USUAL.decide(List.of(), crew(3, 0, 0), fallen.memory(), NOW.plusSeconds(90));
        assertThat(over.desired()).isZero();
        assertThat(over.until()).isEmpty();
    }

    @Test
    void aLeaderThatBeginsKeepsNoPodForWorkThatItHasNotSeen() {
        assertThat(decide(crew(7, 0, 0)).desired()).isZero();
        assertThat(decide(crew(7, 5, 9)).desired()).isEqualTo(5);
    }

    @Test
    void noPodWithATaskIsTooManyBelowTheMost() {
        assertThat(decide(crew(15, 15, 15)).desired()).isEqualTo(15);
        assertThat(decide(crew(30, 30, 30)).desired()).isEqualTo(20);
    }

    @Test
    void keepsTheLeast() {
        Scaling warm = new Scaling(3, 20, 4, Duration.ofSeconds(30), Duration.ZERO);
        assertThat(warm.decide(List.of(), crew(0, 0, 0), ScalingMemory.EMPTY, NOW)
                        .desired())
                .isEqualTo(3);
    }

    /** A tenant wrote them. */
    @Test
    void theLargestNumbersNeedTheMostPods() {
        long most = 999_999_999_999_999L;
        SourceLoad forged = new SourceLoad(
                "s",
                most,
                most,
                0,
                most,
                Duration.ofMillis(most),
                Optional.of(Duration.ofMillis(most)),
                Optional.of(Duration.ofMillis(most)),
                most,
                0,
                "");
        SourceLoad endless = new SourceLoad(
                "s", most, 0, 0, 1, Duration.ofMillis(most), Optional.empty(), Optional.empty(), most, 0, "");
        SourceLoad[] many = IntStream.range(0, 256)
                .mapToObj(i -> i % 2 == 0 ? forged : endless)
                .toArray(SourceLoad[]::new);
        Decision decision = decide(crew(0, 0, 0), many);
        assertThat(decision.desired()).isEqualTo(20);
        assertThat(decision.need().orElseThrow().pods()).isEqualTo(Integer.MAX_VALUE);
        assertThat(decision.need().orElseThrow().queued()).isPositive();
        assertThat(decision.need().orElseThrow().workSeconds()).isPositive();
    }

    private static Crew started(Map<String, Crew.Start> starts) {
        return new Crew(starts.size(), 0, 0, true, Set.of(), Set.of(), starts);
    }

    private static Crew.Start start(int created, Duration took) {
        return new Crew.Start(NOW.plusSeconds(created), took);
    }

    @Test
    void wherePodsStartSlowlyTheTargetFollows() {
        ScalingMemory began = decide(crew(0, 0, 0)).memory();
        Crew slow = started(Map.of("a", start(1, Duration.ofSeconds(90))));
        Decision decision = USUAL.decide(List.of(load(1000, 0, 10, 1)), slow, began, NOW.plusSeconds(91));
        assertThat(decision.desired()).as("1,000 s in 180 s").isEqualTo(2);
        Crew others = started(Map.of(
                "a", start(1, Duration.ofDays(1)),
                "b", start(2, Duration.ofSeconds(2)),
                "c", start(3, Duration.ofSeconds(3))));
        Decision later = USUAL.decide(List.of(load(1000, 0, 10, 1)), others, decision.memory(), NOW.plusSeconds(92));
        assertThat(later.memory().start())
                .as("the median; one was counted before")
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aStartIsNeverTakenForLongerThanFiveMinutes() {
        ScalingMemory began = decide(crew(0, 0, 0)).memory();
        Crew stuck = started(Map.of("a", start(1, Duration.ofHours(9))));
        assertThat(USUAL.decide(List.of(), stuck, began, NOW.plusSeconds(40_000))
                        .memory()
                        .start())
                .isEqualTo(Duration.ofMinutes(5));
    }

    /** It may have been ready for days, and once more after Redis was away. */
    @Test
    void ofAPodThatIsOlderThanItsLeaderTheStartIsNotKnown() {
        Crew old = started(Map.of("a", start(-100_000, Duration.ofHours(9))));
        Decision first = USUAL.decide(List.of(), old, ScalingMemory.EMPTY, NOW);
        assertThat(first.memory().start()).isEqualTo(Duration.ofSeconds(5));
        Decision without = USUAL.decide(List.of(), crew(1, 0, 0), first.memory(), NOW.plusSeconds(5));
        assertThat(USUAL.decide(List.of(), old, without.memory(), NOW.plusSeconds(9))
                        .memory()
                        .start())
                .isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void withoutFiguresThePodsStay() {
        Decision before = decide(crew(0, 0, 0), load(1000, 0, 10, 10));
        assertThat(USUAL.hold(crew(18, 0, 0), before.memory()).desired())
                .as("two that were lost are made again")
                .isEqualTo(20);
        assertThat(USUAL.hold(crew(7, 0, 0), ScalingMemory.EMPTY).desired()).isEqualTo(7);
        assertThat(USUAL.hold(crew(7, 0, 0), ScalingMemory.EMPTY).need()).isEmpty();
    }
}
