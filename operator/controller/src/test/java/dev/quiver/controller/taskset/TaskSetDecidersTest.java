package dev.quiver.controller.taskset;

import static dev.quiver.controller.taskset.TaskSetViews.ACCEPTED;
import static dev.quiver.controller.taskset.TaskSetViews.KEYSPACE;
import static dev.quiver.controller.taskset.TaskSetViews.NONE;
import static dev.quiver.controller.taskset.TaskSetViews.NOW;
import static dev.quiver.controller.taskset.TaskSetViews.ended;
import static dev.quiver.controller.taskset.TaskSetViews.nightly;
import static dev.quiver.controller.taskset.TaskSetViews.pool;
import static dev.quiver.controller.taskset.TaskSetViews.run;
import static dev.quiver.controller.taskset.TaskSetViews.view;
import static dev.quiver.controller.taskset.TaskSetViews.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.run.Eta;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.run.RunKeyspace;
import dev.quiver.controller.run.RunPace;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.RunHistoryOutput;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.TaskTemplateBuilder;
import dev.quiver.crds.v1alpha1.TaskTemplateResult;
import dev.quiver.crds.v1alpha1.TaskTimeouts;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TrialTimeouts;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.worker.TrialFailure;

class TaskSetDecidersTest {

    /** The share that a status may take of the 8 KiB: the rest is for the metadata with its managed fields. */
    private static final int MOST_BYTES = 5800;

    @Test
    void aRunThatIsNotInRedisIsAccepted() {
        assertThat(TaskSetPlanner.plan(view(s -> s, NONE, Optional.empty()))).isEqualTo(new TaskSetPlan.Accept(false));
    }

    @Test
    void aRunThatWasInRedisAndIsNoMoreIsLost() {
        assertThat(TaskSetPlanner.plan(view(s -> s, ACCEPTED, Optional.empty())))
                .isInstanceOfSatisfying(
                        TaskSetPlan.Conclude.class, c -> assertThat(c.reason()).isEqualTo(TaskSetReason.StoreLost));
        assertThat(TaskSetPlanner.plan(
                        view(s -> s.storeLossPolicy(StoreLossPolicy.Resubmit), ACCEPTED, Optional.empty())))
                .isEqualTo(new TaskSetPlan.Accept(true));
    }

    @Test
    void redisIsToldWhatTheSpecSays() {
        assertThat(endings(s -> s.cancel(true), TaskSetState.RUNNING)).containsExactly(new StatusChange.Cancel());
        assertThat(endings(s -> s.suspend(true), TaskSetState.RUNNING)).containsExactly(new StatusChange.Suspend());
        assertThat(endings(s -> s, TaskSetState.SUSPENDED)).containsExactly(new StatusChange.Resume());
        assertThat(endings(s -> s.activeDeadlineSeconds(5L), TaskSetState.RUNNING))
                .containsExactly(new StatusChange.Expire());
        assertThat(endings(s -> s, TaskSetState.RUNNING)).isEmpty();
        assertThat(endings(s -> s.cancel(true), TaskSetState.SUCCEEDED)).isEmpty();
    }

    @Test
    void redisIsToldHowLongATrialMayTake() {
        Source source = new Source(new ExecutionSpec.TaskSource.Count(10), List.of());
        TaskTemplate limited = TaskTemplateBuilder.builder()
                .command(List.of("true"))
                .activeDeadlineSeconds(90)
                .build();
        TaskSetView some = view(s -> s.task(limited), NONE, Optional.empty());
        assertThat(TaskSetOpenings.of(some, source, Optional.empty()).spec().timeLimit())
                .contains(Duration.ofSeconds(90));
        TaskSetView none = view(s -> s, NONE, Optional.empty());
        assertThat(TaskSetOpenings.of(none, source, Optional.empty()).spec().timeLimit())
                .isEmpty();
        assertThat(TaskSetOpenings.of(none, source, Optional.empty()).spec().timeouts())
                .isEmpty();
        TaskTemplate usual = TaskTemplateBuilder.builder(limited)
                .timeouts(new TaskTimeouts(7, null))
                .build();
        TaskSetView both = view(s -> s.task(usual), NONE, Optional.empty());
        assertThat(TaskSetOpenings.of(both, source, Optional.empty()).spec().timeouts())
                .contains(new TrialTimeouts(Duration.ofSeconds(7), Duration.ofSeconds(300)));
    }

    @Test
    void aRunIsRecordedWhereHistoryIsKeptAndTheSpecDoesNotRefuseIt() {
        Source source = new Source(new ExecutionSpec.TaskSource.Count(10), List.of());
        TaskSetView usual = view(s -> s.taskSetClass("nightly"), NONE, Optional.empty());
        assertThat(TaskSetOpenings.of(usual, source, Optional.empty()).record()).isEmpty();
        TaskSetOpening recorded = TaskSetOpenings.of(usual, source, Optional.of("ns-uid"));
        assertThat(recorded.spec().recording()).contains(Recording.DEFAULT);
        assertThat(recorded.record().orElseThrow().opening().runClass()).contains("nightly");
        assertThat(recorded.record().orElseThrow().opening().tasks()).isEqualTo(10);
        assertThat(recorded.record().orElseThrow().opening().namespaceUid()).isEqualTo("ns-uid");
        assertThat(recorded.record().orElseThrow().waits()).isFalse();
        TaskSetView none = view(
                s -> s.history(new RunHistory(RunHistory.Keep.None, null, null, null, null, null, null)),
                NONE,
                Optional.empty());
        assertThat(TaskSetOpenings.of(none, source, Optional.of("ns-uid")).record())
                .isEmpty();
        TaskSetView waiting = view(
                s -> s.history(new RunHistory(
                        null, null, null, null, RunHistory.WhenFull.Wait, RunHistory.OnDelete.Forget, null)),
                NONE,
                Optional.empty());
        RunRecord asked = TaskSetOpenings.of(waiting, source, Optional.of("ns-uid"))
                .record()
                .orElseThrow();
        assertThat(asked.waits()).isTrue();
        assertThat(asked.opening().forgetOnDelete()).isTrue();
        assertThat(recorded.record().orElseThrow().opening().forgetOnDelete()).isFalse();
    }

    @Test
    void theSizeOfStreamsIsPartOfTheRecordingWhereAllOutputIsAskedFor() {
        Source source = new Source(new ExecutionSpec.TaskSource.Count(1), List.of());
        for (boolean full : new boolean[] {true, false}) {
            RunHistoryOutput output = new RunHistoryOutput(null, full, new Quantity("1Mi"));
            TaskSetView asked = view(
                    s -> s.history(new RunHistory(null, output, null, null, null, null, null)), NONE, Optional.empty());
            Recording recording = TaskSetOpenings.of(asked, source, Optional.of("ns-uid"))
                    .spec()
                    .recording()
                    .orElseThrow();
            assertThat(recording.streamKib()).isEqualTo(full ? 1024 : 0);
        }
    }

    @Test
    void theFormatOfResultsIsPartOfTheRecording() {
        Source source = new Source(new ExecutionSpec.TaskSource.Count(1), List.of());
        TaskTemplate task = new TaskTemplate(
                List.of("true"),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                new TaskTemplateResult(TaskTemplateResult.Format.Arrow));
        Recording recording = TaskSetOpenings.of(
                        view(s -> s.task(task), NONE, Optional.empty()), source, Optional.of("ns-uid"))
                .spec()
                .recording()
                .orElseThrow();
        assertThat(recording.format()).contains(Recording.Format.ARROW);
    }

    /** It waits among the sources of the pool as its set will. */
    @Test
    void theProgramOfASourceHasThePriorityOfItsSet() {
        TaskSetView view =
                view(s -> s.source(TaskSource.ofCommand("find", "tests")).relPriority(7), NONE, Optional.empty());
        assertThat(TaskSetOpenings.ofProgram(view, "u-listing").priority()).isEqualTo(7);
    }

    @Test
    void threeLostWorkersEndATask() {
        Source source = new Source(new ExecutionSpec.TaskSource.Count(10), List.of());
        TaskSetView any = view(s -> s, NONE, Optional.empty());
        assertThat(TaskSetOpenings.of(any, source, Optional.empty()).limits().maxLost())
                .isEqualTo(3);
    }

    @Test
    void aSharedPoolAtReplicasNoughtRests() {
        assertThat(endings(
                        s -> s.workerTemplate(null)
                                .workerPoolRef(new WorkerPoolRef("p"))
                                .replicas(0),
                        TaskSetState.RUNNING))
                .containsExactly(new StatusChange.Suspend());
    }

    @Test
    void aFinishedRunThatRedisBroughtBackIsEndedAgain() {
        TaskSetStatus finished = status(view(s -> s, NONE, Optional.of(run(10, 10, 0, 0))), "SUCCEEDED");
        TaskSetView view = view(s -> s, finished, Optional.of(run(10, 6, 0, 2)));
        assertThat(TaskSetPlanner.plan(view)).isEqualTo(new TaskSetPlan.Retire(true));
    }

    @Test
    void aRunThatWasQuickerThanItsPoolSaysThatItsHandlerWasServed() {
        UnaryOperator<TaskSetSpecBuilder> calls = s -> s.task(TaskTemplate.ofHandler("resize"));
        TaskSetStatus going = TaskSetStatusCalculator.of(
                view(calls, NONE, Optional.of(run(10, 0, 0, 0))),
                new TaskSetPlan.Steer(List.of(), false),
                Optional.of("h"));
        assertThat(reason(going, ConditionType.HandlerAvailable)).isEqualTo("NoWorkers");
        TaskSetSnapshot over = ended(run(10, 10, 0, 0), TaskSetState.SUCCEEDED, "");
        TaskSetStatus ended = TaskSetStatusCalculator.of(
                view(calls, going, Optional.of(over)), new TaskSetPlan.Steer(List.of(), false), Optional.empty());
        assertThat(reason(ended, ConditionType.HandlerAvailable)).isEqualTo("HandlerServed");

        TaskSetStatus gone = TaskSetStatusBuilder.builder(going)
                .conditions(new Conditions(List.of(), 1, NOW)
                        .set(ConditionType.HandlerAvailable, ConditionStatus.False, HandlerReason.NotServed)
                        .list())
                .build();
        TaskSetStatus after = TaskSetStatusCalculator.of(
                view(calls, gone, Optional.of(over)), new TaskSetPlan.Steer(List.of(), false), Optional.empty());
        assertThat(reason(after, ConditionType.HandlerAvailable))
                .as("what was known last is kept")
                .isEqualTo("NotServed");
    }

    @Test
    void theStatusSaysHowFarItIs() {
        TaskSetView view = view(s -> s, NONE, Optional.of(run(1000, 409, 3, 16)));
        TaskSetStatus status =
                TaskSetStatusCalculator.of(view, new TaskSetPlan.Steer(List.of(), false), Optional.of("h"));
        assertThat(status.progress()).isEqualTo("412/1000");
        assertThat(status.percent()).isEqualTo(41);
        assertThat(status.running()).isEqualTo(16);
        assertThat(status.queued()).isEqualTo(572);
        assertThat(status.taskSeconds()).isEqualTo(4120);
        // 588 tasks of 10 s each are left for 16 places.
        assertThat(status.eta()).isEqualTo("7m");
        assertThat(Instant.parse(status.estimatedCompletionTime()))
                .isBetween(NOW.plusSeconds(360), NOW.plusSeconds(420));
        assertThat(status.workers()).isEqualTo("0/1");
        assertThat(reason(status, ConditionType.Finished)).isEqualTo("Running");
        assertThat(Conditions.find(status.conditions(), ConditionType.Succeeded)
                        .orElseThrow()
                        .getStatus())
                .isEqualTo("Unknown");
    }

    @Test
    void whileRedisIsAwayTheNumbersStay() {
        TaskSetView here = view(s -> s, NONE, Optional.of(run(1000, 409, 3, 16)));
        TaskSetStatus before =
                TaskSetStatusCalculator.of(here, new TaskSetPlan.Steer(List.of(), false), Optional.of("h"));
        TaskSetView away = TaskSetViewBuilder.builder()
                .set(here.set())
                .before(before)
                .keyspace(KEYSPACE)
                .store(new ObservedStore.Away<>(StoreReason.Unreachable, "Connection refused"))
                .workers(here.workers())
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
        TaskSetStatus status = TaskSetStatusCalculator.of(away, TaskSetPlanner.plan(away), Optional.empty());
        assertThat(status.progress()).isEqualTo("412/1000");
        assertThat(status.sourceHash()).isEqualTo("h");
        assertThat(reason(status, ConditionType.StoreReachable)).isEqualTo("Unreachable");
        assertThat(Conditions.isTrue(status.conditions(), ConditionType.Finished))
                .isFalse();
    }

    @Test
    void anOperatorThatHasJustStartedChangesNothingThatWasSaid() {
        TaskSetView here = view(s -> s, NONE, Optional.of(run(1000, 409, 3, 16)));
        TaskSetStatus before =
                TaskSetStatusCalculator.of(here, new TaskSetPlan.Steer(List.of(), false), Optional.of("h"));
        TaskSetView started = TaskSetViewBuilder.builder()
                .set(here.set())
                .before(before)
                .keyspace(KEYSPACE)
                .store(new ObservedStore.Away<>(StoreReason.NotAsked, StoreReason.NotAsked.sentence()))
                .workers(here.workers())
                .adjusted(false)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
        TaskSetStatus status = TaskSetStatusCalculator.of(started, TaskSetPlanner.plan(started), Optional.empty());
        assertThat(status).isEqualTo(before);
    }

    @Test
    void aRunThatIsOverHasNoWorkers() {
        WorkerPool pool = pool("tset-specs");
        pool.setStatus(
                WorkerPoolStatusBuilder.builder().replicas(2).readyReplicas(2).build());
        TaskSetView view = view(s -> s.replicas(2), NONE, Optional.of(run(10, 10, 0, 0)));
        TaskSetView staffed = TaskSetViewBuilder.builder()
                .set(view.set())
                .before(NONE)
                .keyspace(KEYSPACE)
                .store(view.store())
                .workers(new ObservedPool.Own(Optional.of(pool)))
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
        assertThat(TaskSetStatusCalculator.of(staffed, new TaskSetPlan.Steer(List.of(), false), Optional.empty())
                        .workers())
                .isEqualTo("2/2");
        assertThat(status(staffed, "SUCCEEDED").workers()).isEqualTo("0/2");
        assertThat(status(staffed, "SUCCEEDED").replicas()).isZero();
    }

    @Test
    void anEstimateAloneIsNotWorthAWrite() {
        TaskSetStatus written =
                TaskSetStatusBuilder.builder().total(3L).eta("3m").build();
        assertThat(TaskSetStatusCalculator.change(
                        Optional.of(written),
                        TaskSetStatusBuilder.builder(written).eta("2m").build()))
                .isEqualTo(Change.NONE);
        assertThat(TaskSetStatusCalculator.change(
                        Optional.of(written),
                        TaskSetStatusBuilder.builder(written).running(1L).build()))
                .isEqualTo(Change.PROGRESS);
        TaskSetView over = view(s -> s, written, Optional.of(run(10, 10, 0, 0)));
        assertThat(TaskSetStatusCalculator.change(Optional.of(written), status(over, "SUCCEEDED")))
                .isEqualTo(Change.AT_ONCE);
    }

    @Test
    void theEndSaysHowItCame() {
        TaskSetSnapshot failed = ended(run(10, 8, 2, 0), TaskSetState.FAILED, "TasksFailed");
        TaskSetOutcome outcome = TaskSetOutcome.of(Samples.counted(10).build(), failed);
        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.reason()).isEqualTo(TaskSetReason.TasksFailed);
        assertThat(outcome.message()).isEqualTo("2 of 10 tasks failed. First: task 7, NonZeroExit with exit code 3.");
        assertThat(TaskSetOutcome.of(Samples.counted(10).build(), raised(failed))
                        .message())
                .isEqualTo("2 of 10 tasks failed. First: task 7, Exception: ValueError: seven");
        TaskSetSnapshot late = ended(run(10, 8, 0, 0), TaskSetState.FAILED, "DeadlineExceeded");
        assertThat(TaskSetOutcome.of(
                                Samples.counted(10).activeDeadlineSeconds(60L).build(), late)
                        .message())
                .startsWith("The run took longer than spec.activeDeadlineSeconds: 60. 8 of 10 tasks");
    }

    @Test
    void aRunStaysInItsKeyspaceWhateverBecomesOfThePool() {
        WorkerPool nightly = nightly();
        Keyspace named = Keyspace.of("team", "nightly");
        assertThat(RunKeyspace.of("team", Optional.empty(), false, Optional.of(nightly), Optional.empty()))
                .isEqualTo(named);
        assertThat(RunKeyspace.of("team", Optional.empty(), false, Optional.empty(), Optional.of(named)))
                .isEqualTo(named);
        assertThat(RunKeyspace.of("team", Optional.of("nightly"), false, Optional.empty(), Optional.of(KEYSPACE)))
                .isEqualTo(named);
        assertThat(RunKeyspace.of("team", Optional.empty(), true, Optional.of(nightly), Optional.empty()))
                .as("the pool was made again elsewhere")
                .isEqualTo(KEYSPACE);
    }

    @Test
    void theStatusSaysWhichKeyspaceFromWhenKeysMayBeThere() {
        TaskSetView view = view(s -> s, NONE, Optional.empty());
        TaskSetView named = TaskSetViewBuilder.builder()
                .set(view.set())
                .before(NONE)
                .keyspace(Keyspace.of("team", "nightly"))
                .store(view.store())
                .workers(view.workers())
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
        assertThat(TaskSetStatusCalculator.of(named, new TaskSetPlan.Accept(false), Optional.of("h"))
                        .keyspace())
                .isEqualTo("nightly");
        assertThat(TaskSetStatusCalculator.of(
                                named, new TaskSetPlan.Hold(TaskSetReason.SourceNotFound, "no"), Optional.empty())
                        .keyspace())
                .isNull();
    }

    @Test
    void thePoolOfAnEarlierRunOfTheSameNameIsAwaited() {
        TaskSet set = view(s -> s, NONE, Optional.empty()).set();
        WorkerPool earlier = pool("tset-specs");
        earlier.getMetadata()
                .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                        .withKind("TaskSet")
                        .withName("specs")
                        .withUid("earlier")
                        .build()));
        assertThat(TaskSetView.workers(set, Optional.of(earlier)))
                .isEqualTo(new ObservedPool.Terminating("tset-specs"));
        WorkerPool foreign = pool("tset-specs");
        assertThat(TaskSetView.workers(set, Optional.of(foreign))).isEqualTo(new ObservedPool.NameTaken("tset-specs"));
        foreign.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        ObservedPool leaving = TaskSetView.workers(set, Optional.of(foreign));
        assertThat(leaving).isEqualTo(new ObservedPool.Terminating("tset-specs"));
        assertThat(TaskSetPlanner.plan(with(view(s -> s, NONE, Optional.empty()), leaving)))
                .isInstanceOfSatisfying(
                        TaskSetPlan.Hold.class, h -> assertThat(h.reason()).isEqualTo(TaskSetReason.Accepting));
    }

    @Test
    void whatRedisDidNotHearIsSaidAgainSoonUnlessItIsAway() {
        TaskSetView here = view(s -> s, ACCEPTED, Optional.of(run(10, 4, 0, 1)));
        TaskSetPlan steer = new TaskSetPlan.Steer(List.of(), true);
        assertThat(pace(here, steer, false, true)).isEqualTo(RunPace.STORE);
        assertThat(pace(here, steer, true, true)).isEqualTo(RunPace.NOTHING_DUE);
        TaskSetView away = TaskSetViewBuilder.builder()
                .set(here.set())
                .before(ACCEPTED)
                .keyspace(KEYSPACE)
                .store(new ObservedStore.Away<>(StoreReason.Unreachable, "Connection reset"))
                .workers(here.workers())
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
        TaskSetPlan hold = TaskSetPlanner.plan(away);
        assertThat(pace(away, hold, false, true)).as("one call failed").isEqualTo(RunPace.STORE);
        assertThat(pace(away, hold, false, false))
                .as("its return wakes the run")
                .isEqualTo(RunPace.NOTHING_DUE);
        TaskSetPlan refused = new TaskSetPlan.Hold(TaskSetReason.Accepting, "OOM");
        assertThat(pace(here, refused, false, true)).isEqualTo(TaskSetPace.SOURCE);
        TaskSetPlan noPool = new TaskSetPlan.Hold(TaskSetReason.WorkerPoolRefused, "quota");
        assertThat(pace(here, noPool, true, true)).isEqualTo(RunPace.POOL);
    }

    @Test
    void aResubmissionSaysWhetherTheSourceIsAnother() {
        TaskSetStatus before =
                TaskSetStatusBuilder.builder().total(10L).sourceHash("a").build();
        assertThat(TaskSetEvents.resubmitted(before, before).message()).doesNotContain("changed");
        TaskSetStatus after =
                TaskSetStatusBuilder.builder().total(12L).sourceHash("b").build();
        assertThat(TaskSetEvents.resubmitted(before, after).message()).contains("it had 10 tasks, now it has 12");
    }

    @Test
    void theWorstStatusStaysBelowItsBound() {
        String message = "<\u0007\u30bf\"".repeat(300);
        List<TrialFailure> failures = IntStream.range(0, 8)
                .mapToObj(i -> new TrialFailure(
                        message, 100, Optional.of(255), Optional.of(64), "CommandNotFound", message, true))
                .toList();
        TaskSetSnapshot run = ended(run(1_000_000, 0, 1_000_000, 0), TaskSetState.FAILED, "SourceInvalid", failures);
        TaskSetStatus before = TaskSetStatusBuilder.builder()
                .conditions(new Conditions(List.of(), 1, NOW)
                        .set(ConditionType.HandlerAvailable, ConditionStatus.False, HandlerReason.NotServed, message)
                        .list())
                .sourceHash("f".repeat(64))
                .keyspace("k".repeat(63))
                .build();
        TaskSetView over = view(s -> s.task(TaskTemplate.ofHandler("resize")), before, Optional.of(run));
        TaskSetStatus friendly = TaskSetStatusCalculator.of(
                over, new TaskSetPlan.Conclude(TaskSetReason.StoreLost, "."), Optional.empty());
        assertThat(friendly.failures()).isNotEmpty();
        assertThat(size(friendly)).isBetween(2000, MOST_BYTES);
        TaskSetStatus wordy = TaskSetStatusCalculator.of(
                over, new TaskSetPlan.Conclude(TaskSetReason.StoreLost, message), Optional.empty());
        assertThat(size(wordy)).isLessThan(MOST_BYTES);
        TaskSetView away = TaskSetViewBuilder.builder()
                .set(over.set())
                .before(friendly)
                .keyspace(KEYSPACE)
                .store(new ObservedStore.Away<>(StoreReason.Unreachable, message))
                .workers(over.workers())
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
        assertThat(size(TaskSetStatusCalculator.of(away, TaskSetPlanner.plan(away), Optional.empty())))
                .isLessThan(MOST_BYTES);
    }

    /** As the API server keeps it: it writes a less-than sign as six bytes. */
    private static int size(TaskSetStatus status) {
        String json = Serialization.asJson(status);
        int signs = (int) json.chars().filter(c -> c == '<').count();
        return json.getBytes(StandardCharsets.UTF_8).length + 5 * signs;
    }

    @ParameterizedTest
    @CsvSource({
        "1,5s",
        "4,5s",
        "41,45s",
        "60,1m",
        "61,2m",
        "600,10m",
        "3599,1h",
        "3601,1h10m",
        "7800,2h10m",
        "90000,1d1h",
        "86400,1d"
    })
    void anEstimateIsRoundedUp(long seconds, String text) {
        assertThat(Eta.rounded(Duration.ofSeconds(seconds)).text()).isEqualTo(text);
    }

    @Test
    void thePaceOfLongTasksComesFromTheirMeanAndWhatRuns() {
        // 412 decided at 10 s each, 588 left, 16 at a time: about 6 minutes.
        assertThat(Eta.of(TaskSetView.progress(run(1000, 409, 3, 16)), Pace.UNSEEN)
                        .orElseThrow()
                        .text())
                .isEqualTo("7m");
        assertThat(Eta.of(TaskSetView.progress(run(1000, 0, 0, 16)), Pace.UNSEEN))
                .isEmpty();
        assertThat(Eta.of(TaskSetView.progress(run(1000, 409, 3, 0)), Pace.UNSEEN))
                .isEmpty();
    }

    private static TaskSetStatus status(TaskSetView view, String finalStatus) {
        TaskSetSnapshot run =
                ended(view.store().snapshot().orElseThrow(), TaskSetState.valueOf(finalStatus), "AllTasksSucceeded");
        TaskSetView over = TaskSetViewBuilder.builder()
                .set(view.set())
                .before(view.before())
                .keyspace(KEYSPACE)
                .store(new ObservedStore.Answered<>(Optional.of(run)))
                .workers(view.workers())
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
        return TaskSetStatusCalculator.of(over, new TaskSetPlan.Steer(List.of(), false), Optional.empty());
    }

    private static String reason(TaskSetStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type).orElseThrow().getReason();
    }

    private static List<StatusChange> endings(UnaryOperator<TaskSetSpecBuilder> spec, TaskSetState status) {
        TaskSetSnapshot run = ended(run(10, 4, 0, 1), status, "");
        return ((TaskSetPlan.Steer) TaskSetPlanner.plan(view(spec, ACCEPTED, Optional.of(run)))).endings();
    }

    private static Duration pace(TaskSetView view, TaskSetPlan plan, boolean synced, boolean storeUp) {
        TaskSetActions.Applied applied = new TaskSetActions.Applied(plan, false, Optional.empty(), false, synced);
        return TaskSetPace.next(view, applied, Optional.empty(), storeUp);
    }

    private static TaskSetSnapshot raised(TaskSetSnapshot r) {
        TrialFailure failure = new TrialFailure(
                "7", 2, Optional.empty(), Optional.empty(), "Exception", "in total\nValueError: seven", true);
        return ended(r, r.status(), r.reason(), List.of(failure));
    }

    /** The first status may not have been written, and no later look reads the source again. */
    @Test
    void theHashOfTheSourceComesFromRedis() {
        TaskSetSnapshot run = TaskSetViews.run(10, 4, 0, 2);
        TaskSetView view =
                TaskSetViews.view(spec -> spec, TaskSetViews.NONE, Optional.of(TaskSetViews.read(run, "abc")));
        TaskSetStatus status =
                TaskSetStatusCalculator.of(view, new TaskSetPlan.Steer(List.of(), false), Optional.empty());
        assertThat(status.sourceHash()).isEqualTo("abc");
    }
}
