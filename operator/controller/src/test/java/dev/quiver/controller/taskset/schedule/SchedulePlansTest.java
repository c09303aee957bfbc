package dev.quiver.controller.taskset.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.ConcurrencyPolicy;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskScheduleBuilder;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetScheduleStatus;
import dev.quiver.crds.v1alpha1.TaskSetScheduleStatusBuilder;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;

/** When a run of a schedule begins, which are missed, and which go. */
class SchedulePlansTest {

    private static final Instant CREATED = Instant.parse("2026-03-01T10:00:30Z");
    private static final Instant ELEVEN = Instant.parse("2026-03-01T11:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private static TaskScheduleBuilder hourly() {
        return TaskScheduleBuilder.builder(TaskSchedule.ofCron("@hourly"));
    }

    private static TaskSet set(TaskScheduleBuilder schedule, UnaryOperator<TaskSetSpecBuilder> spec) {
        TaskSet set = Samples.set("nightly", spec.apply(Samples.counted(3).schedule(schedule.build())));
        set.getMetadata().setNamespace("team");
        set.getMetadata().setUid("u");
        set.getMetadata().setCreationTimestamp(CREATED.toString());
        return set;
    }

    private static TaskSet set(TaskScheduleBuilder schedule) {
        return set(schedule, spec -> spec);
    }

    private static TaskSetStatus status(Instant settled, Instant next) {
        TaskSetScheduleStatus schedule = TaskSetScheduleStatusBuilder.builder()
                .settledTime(settled.toString())
                .nextScheduleTime(next == null ? null : next.toString())
                .build();
        return TaskSetStatusBuilder.builder().schedule(schedule).build();
    }

    private static final TaskSetStatus NEW = TaskSetStatusBuilder.builder().build();

    private static SchedulePlan plan(TaskSet set, TaskSetStatus before, Instant now, ScheduledRun... runs) {
        List<ScheduledRun> latestFirst =
                Stream.of(runs).sorted((a, b) -> b.due().compareTo(a.due())).toList();
        return SchedulePlans.of(new ScheduleView(set, before, latestFirst, new StoreState.Up(CREATED), now));
    }

    private static ScheduledRun going(TaskSet set, Instant due) {
        return run(set, due, NEW);
    }

    private static ScheduledRun ended(TaskSet set, Instant due, boolean succeeded) {
        return run(
                set,
                due,
                TaskSetStatusBuilder.builder()
                        .conditions(List.of(
                                new ConditionBuilder()
                                        .withType("Finished")
                                        .withStatus("True")
                                        .build(),
                                new ConditionBuilder()
                                        .withType("Succeeded")
                                        .withStatus(succeeded ? "True" : "False")
                                        .build()))
                        .build());
    }

    private static ScheduledRun run(TaskSet set, Instant due, TaskSetStatus status) {
        return ScheduledRun.of(set, ScheduledRun.make(set, due), status).orElseThrow();
    }

    private static Optional<Instant> begun(SchedulePlan plan) {
        return plan.begin().map(SchedulePlan.Begin::due);
    }

    @Test
    void nothingBeginsBeforeItIsDue() {
        SchedulePlan plan = plan(set(hourly()), NEW, ELEVEN.minusSeconds(1));
        assertThat(begun(plan)).isEmpty();
        assertThat(plan.next()).contains(ELEVEN);
        assertThat(plan.settled()).isEqualTo(CREATED);
    }

    @Test
    void theRunThatIsDueBeginsAndIsSettled() {
        SchedulePlan plan = plan(set(hourly()), status(CREATED, ELEVEN), ELEVEN);
        assertThat(begun(plan)).contains(ELEVEN);
        assertThat(plan.settled()).isEqualTo(ELEVEN);
        assertThat(plan.next()).contains(ELEVEN.plus(HOUR));
        assertThat(plan.missed()).isZero();
    }

    @Test
    void aRefusedRunStaysDue() {
        SchedulePlan refused = plan(set(hourly()), status(CREATED, ELEVEN), ELEVEN.plusSeconds(20))
                .begin()
                .orElseThrow()
                .refused();
        assertThat(refused.begin()).isEmpty();
        TaskSetStatus after = status(refused.settled(), refused.next().orElseThrow());
        assertThat(begun(plan(set(hourly()), after, ELEVEN.plusSeconds(50)))).contains(ELEVEN);
    }

    @Test
    void theLastOfThoseMissedIsMadeUpFor() {
        SchedulePlan plan = plan(
                set(hourly()),
                status(CREATED, ELEVEN),
                ELEVEN.plus(HOUR.multipliedBy(5)).plusSeconds(9));
        assertThat(begun(plan)).contains(ELEVEN.plus(HOUR.multipliedBy(5)));
        assertThat(plan.missed()).isEqualTo(5);
        assertThat(plan.why()).isNotEmpty();
    }

    @Test
    void aYearOfMinutesIsCountedWithinBounds() {
        TaskSet set = set(TaskScheduleBuilder.builder(TaskSchedule.ofCron("* * * * *")));
        Instant now = CREATED.plus(Duration.ofDays(365));
        SchedulePlan plan = plan(set, status(CREATED, CREATED.plusSeconds(30)), now);
        assertThat(begun(plan)).contains(Instant.parse("2027-03-01T10:00:00Z"));
        assertThat(plan.missed()).isBetween(1000L, 2000L);
    }

    @Test
    void aRunThatWouldBeTooLateIsMissed() {
        TaskSet set = set(hourly().startingDeadlineSeconds(60));
        assertThat(begun(plan(set, status(CREATED, ELEVEN), ELEVEN.plusSeconds(60))))
                .contains(ELEVEN);
        SchedulePlan late = plan(set, status(CREATED, ELEVEN), ELEVEN.plusSeconds(61));
        assertThat(begun(late)).isEmpty();
        assertThat(late.missed()).isEqualTo(1);
        assertThat(late.why()).contains("startingDeadlineSeconds");
        assertThat(late.settled()).isEqualTo(ELEVEN);
    }

    @Test
    void aRunThatExistsHasBegunWhateverTheStatusSays() {
        TaskSet set = set(hourly().concurrencyPolicy(ConcurrencyPolicy.Forbid));
        SchedulePlan plan = plan(set, status(CREATED, ELEVEN), ELEVEN.plusSeconds(5), going(set, ELEVEN));
        assertThat(begun(plan)).isEmpty();
        assertThat(plan.missed()).isZero();
        assertThat(plan.settled()).isEqualTo(ELEVEN);
    }

    @ParameterizedTest
    @CsvSource({"Allow, true, 0, 0", "Forbid, false, 1, 0", "Replace, true, 0, 1"})
    void concurrencyIsThatOfACronJob(ConcurrencyPolicy policy, boolean begins, long missed, int cancelled) {
        TaskSet set = set(hourly().concurrencyPolicy(policy));
        Instant twelve = ELEVEN.plus(HOUR);
        SchedulePlan plan = plan(set, status(ELEVEN, twelve), twelve, going(set, ELEVEN));
        assertThat(begun(plan).isPresent()).isEqualTo(begins);
        assertThat(plan.missed()).isEqualTo(missed);
        assertThat(plan.cancel()).hasSize(cancelled);
    }

    @Test
    void anEndedRunIsInNobodysWay() {
        TaskSet set = set(hourly().concurrencyPolicy(ConcurrencyPolicy.Forbid));
        Instant twelve = ELEVEN.plus(HOUR);
        assertThat(begun(plan(set, status(ELEVEN, twelve), twelve, ended(set, ELEVEN, false))))
                .contains(twelve);
    }

    @Test
    void atMostAHundredRunsGoOn() {
        TaskSet set = set(TaskScheduleBuilder.builder(TaskSchedule.ofCron("* * * * *")));
        ScheduledRun[] runs = Stream.iterate(ELEVEN, due -> due.plusSeconds(60))
                .limit(SchedulePlans.MOST_GOING)
                .map(due -> going(set, due))
                .toArray(ScheduledRun[]::new);
        Instant last = runs[runs.length - 1].due();
        SchedulePlan plan = plan(set, status(last, last.plusSeconds(60)), last.plusSeconds(60), runs);
        assertThat(begun(plan)).isEmpty();
        assertThat(plan.missed()).isEqualTo(1);
        assertThat(plan.why()).contains("100");
    }

    @Test
    void whatIsDueWhileSuspendedIsMissedAndNotMadeUpFor() {
        TaskSet resting = set(hourly().suspend(true));
        SchedulePlan asleep = plan(resting, status(CREATED, ELEVEN), ELEVEN.plusSeconds(1));
        assertThat(begun(asleep)).isEmpty();
        assertThat(asleep.missed()).isEqualTo(1);
        assertThat(asleep.next()).isEmpty();
        Instant now = ELEVEN.plus(HOUR.multipliedBy(3)).plusSeconds(10);
        SchedulePlan awake = plan(set(hourly()), status(ELEVEN, null), now);
        assertThat(begun(awake)).isEmpty();
        assertThat(awake.missed()).isEqualTo(3);
        assertThat(awake.settled()).isEqualTo(now);
        assertThat(awake.next()).contains(ELEVEN.plus(HOUR.multipliedBy(4)));
    }

    @Test
    void suspendOfTheSpecStopsTheScheduleToo() {
        TaskSet set = set(hourly(), spec -> spec.suspend(true));
        assertThat(begun(plan(set, status(CREATED, ELEVEN), ELEVEN))).isEmpty();
    }

    @Test
    void aChangedCronBeginsNothingThatWasDueBefore() {
        TaskSet set = set(TaskScheduleBuilder.builder(TaskSchedule.ofCron("*/5 * * * *")));
        Instant now = ELEVEN.minusSeconds(10);
        SchedulePlan plan = plan(set, status(CREATED, ELEVEN), now);
        assertThat(begun(plan)).isEmpty();
        assertThat(plan.missed()).isZero();
        assertThat(plan.next()).contains(ELEVEN);
    }

    @Test
    void aClockThatWasAheadSilencesNothing() {
        Instant wrong = ELEVEN.plus(Duration.ofDays(400));
        SchedulePlan plan = plan(set(hourly()), status(wrong, wrong.plus(HOUR)), ELEVEN.plusSeconds(5));
        assertThat(plan.next()).contains(ELEVEN.plus(HOUR));
        assertThat(plan.settled()).isEqualTo(ELEVEN.plusSeconds(5));
    }

    @Test
    void aClockThatGoesBackALittleRepeatsNothing() {
        SchedulePlan plan = plan(set(hourly()), status(ELEVEN, ELEVEN.plus(HOUR)), ELEVEN.minusSeconds(20));
        assertThat(plan.settled()).isEqualTo(ELEVEN);
        assertThat(plan.next()).contains(ELEVEN.plus(HOUR));
    }

    @Test
    void theLimitsKeepTheLatestOfEachEnd() {
        TaskSet set = set(hourly().successfulRunsHistoryLimit(1).failedRunsHistoryLimit(0));
        Instant three = ELEVEN.plus(HOUR.multipliedBy(4));
        ScheduledRun old = ended(set, ELEVEN, true);
        ScheduledRun latest = ended(set, ELEVEN.plus(HOUR), true);
        ScheduledRun failed = ended(set, ELEVEN.plus(HOUR.multipliedBy(2)), false);
        ScheduledRun runs = going(set, ELEVEN.plus(HOUR.multipliedBy(3)));
        SchedulePlan plan = plan(set, status(three, three.plus(HOUR)), three.plusSeconds(1), old, latest, failed, runs);
        assertThat(plan.forget()).containsExactlyInAnyOrder(old, failed);
    }

    @Test
    void aRunThatTheStatusDoesNotSettleIsKept() {
        TaskSet set = set(hourly().successfulRunsHistoryLimit(0));
        assertThat(plan(set, status(CREATED, ELEVEN), ELEVEN.plusSeconds(5), ended(set, ELEVEN, true))
                        .forget())
                .isEmpty();
    }

    @Test
    void cancelEndsTheRunsAndThenTheSchedule() {
        TaskSet set = set(hourly(), spec -> spec.cancel(true));
        ScheduledRun run = going(set, ELEVEN);
        SchedulePlan ending = plan(set, status(ELEVEN, ELEVEN.plus(HOUR)), ELEVEN.plus(HOUR), run);
        assertThat(ending.cancel()).containsExactly(run);
        assertThat(begun(ending)).isEmpty();
        assertThat(ending.stop().orElseThrow().over()).isFalse();
        SchedulePlan over = plan(set, status(ELEVEN, null), ELEVEN.plus(HOUR), ended(set, ELEVEN, false));
        assertThat(over.stop().orElseThrow().over()).isTrue();
        assertThat(over.stop().orElseThrow().reason()).isEqualTo(TaskSetReason.Cancelled);
    }

    @Test
    void timesThatCannotBeComputedEndANewScheduleAndNoOther() {
        TaskSet set = set(hourly().timeZone("Mars/Olympus"));
        SchedulePlan.Stop never = plan(set, NEW, ELEVEN).stop().orElseThrow();
        assertThat(never.over()).isTrue();
        assertThat(never.message()).contains("spec.schedule", "Mars/Olympus");
        SchedulePlan later = plan(set, status(CREATED, ELEVEN), ELEVEN);
        assertThat(later.stop().orElseThrow().over()).isFalse();
        assertThat(later.missed()).isZero();
    }

    @Test
    void aRunHasTheSpecAndNamesItsTime() {
        TaskSet set = set(hourly(), spec -> spec.ttlSecondsAfterFinished(9L).replicas(4));
        TaskSet run = ScheduledRun.make(set, ELEVEN);
        assertThat(run.getMetadata().getName()).isEqualTo("nightly-" + ELEVEN.getEpochSecond() / 60);
        assertThat(run.getMetadata().getAnnotations())
                .containsEntry("quiver.dev/scheduled-time", "2026-03-01T11:00:00Z");
        assertThat(run.getSpec().schedule()).isNull();
        assertThat(run.getSpec().ttlSecondsAfterFinished()).isNull();
        assertThat(run.getSpec().taskSetClass()).isEqualTo("nightly");
        assertThat(run.getSpec().replicas()).isEqualTo(4);
        assertThat(run.getMetadata().getName().length()
                        - set.getMetadata().getName().length())
                .as("leaves room for names of 31 characters")
                .isLessThanOrEqualTo(TaskSet.MAX_NAME_LENGTH - TaskSet.MAX_SCHEDULED_NAME_LENGTH);
    }

    @Test
    void aTaskSetOfAnotherOwnerIsNoRun() {
        TaskSet set = set(hourly());
        TaskSet foreign = ScheduledRun.make(set, ELEVEN);
        foreign.getMetadata().getOwnerReferences().getFirst().setUid("another");
        assertThat(ScheduledRun.of(set, foreign, NEW)).isEmpty();
        TaskSet renamed = ScheduledRun.make(set, ELEVEN);
        renamed.getMetadata().setName("nightly-latest");
        assertThat(ScheduledRun.of(set, renamed, NEW)).isEmpty();
    }
}
