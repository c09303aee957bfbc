package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.TaskTemplateBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.taskset.Ending;
import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.TaskFailure;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

class RunTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");
    private static final TaskSetStatus NONE = TaskSetStatusBuilder.builder().build();
    private static final TaskSetStatus ACCEPTED =
            TaskSetStatusBuilder.builder().total(10L).succeeded(4L).build();

    @Test
    void aRunThatIsNotInRedisIsAccepted() {
        assertThat(RunPlanner.plan(view(s -> s, NONE, Optional.empty()))).isEqualTo(new RunStep.Accept(false));
    }

    @Test
    void aRunThatWasInRedisAndIsNoMoreIsLost() {
        assertThat(RunPlanner.plan(view(s -> s, ACCEPTED, Optional.empty())))
                .isInstanceOfSatisfying(
                        RunStep.Conclude.class, c -> assertThat(c.reason()).isEqualTo(TaskSetReason.StoreLost));
        assertThat(RunPlanner.plan(view(s -> s.storeLossPolicy(StoreLossPolicy.Resubmit), ACCEPTED, Optional.empty())))
                .isEqualTo(new RunStep.Accept(true));
    }

    @Test
    void redisIsToldWhatTheSpecSays() {
        assertThat(endings(s -> s.cancel(true), dev.quiver.lifecycle.taskset.TaskSetStatus.RUNNING))
                .containsExactly(new Ending.Cancel());
        assertThat(endings(s -> s.suspend(true), dev.quiver.lifecycle.taskset.TaskSetStatus.RUNNING))
                .containsExactly(new Ending.Suspend());
        assertThat(endings(s -> s, dev.quiver.lifecycle.taskset.TaskSetStatus.SUSPENDED))
                .containsExactly(new Ending.Resume());
        assertThat(endings(s -> s.activeDeadlineSeconds(5L), dev.quiver.lifecycle.taskset.TaskSetStatus.RUNNING))
                .containsExactly(new Ending.Expire());
        assertThat(endings(s -> s, dev.quiver.lifecycle.taskset.TaskSetStatus.RUNNING))
                .isEmpty();
        assertThat(endings(s -> s.cancel(true), dev.quiver.lifecycle.taskset.TaskSetStatus.SUCCEEDED))
                .isEmpty();
    }

    @Test
    void redisIsToldHowLongATrialMayTake() {
        Source source = new Source(new ExecutionSpec.TaskSource.Count(10), List.of());
        TaskTemplate limited = TaskTemplateBuilder.builder()
                .command(List.of("true"))
                .activeDeadlineSeconds(90)
                .build();
        RunView some = view(s -> s.task(limited), NONE, Optional.empty());
        assertThat(RunOpening.of(some, source).spec().timeLimit()).contains(Duration.ofSeconds(90));
        RunView none = view(s -> s, NONE, Optional.empty());
        assertThat(RunOpening.of(none, source).spec().timeLimit()).isEmpty();
    }

    @Test
    void aSharedPoolAtReplicasNoughtRests() {
        assertThat(endings(
                        s -> s.workerTemplate(null)
                                .workerPoolRef(new WorkerPoolRef("p"))
                                .replicas(0),
                        dev.quiver.lifecycle.taskset.TaskSetStatus.RUNNING))
                .containsExactly(new Ending.Suspend());
    }

    @Test
    void aFinishedRunThatRedisBroughtBackIsEndedAgain() {
        TaskSetStatus finished = status(view(s -> s, NONE, Optional.of(run(10, 10, 0, 0))), "SUCCEEDED");
        RunView view = view(s -> s, finished, Optional.of(run(10, 6, 0, 2)));
        assertThat(RunPlanner.plan(view)).isEqualTo(new RunStep.Retire(true));
    }

    @Test
    void theStatusSaysHowFarItIs() {
        RunView view = view(s -> s, NONE, Optional.of(run(1000, 409, 3, 16)));
        TaskSetStatus status = RunStatus.of(view, new RunStep.Steer(List.of(), false), Optional.of("h"));
        assertThat(status.progress()).isEqualTo("412/1000");
        assertThat(status.percent()).isEqualTo(41);
        assertThat(status.running()).isEqualTo(16);
        assertThat(status.queued()).isEqualTo(572);
        assertThat(status.workers()).isEqualTo("0/1");
        assertThat(reason(status, ConditionType.Finished)).isEqualTo("Running");
        assertThat(Conditions.find(status.conditions(), ConditionType.Succeeded)
                        .orElseThrow()
                        .getStatus())
                .isEqualTo("Unknown");
    }

    @Test
    void whileRedisIsAwayTheNumbersStay() {
        RunView here = view(s -> s, NONE, Optional.of(run(1000, 409, 3, 16)));
        TaskSetStatus before = RunStatus.of(here, new RunStep.Steer(List.of(), false), Optional.of("h"));
        RunView away = new RunView(
                here.set(),
                before,
                new StoreSight.Away(StoreReason.Unreachable, "Connection refused"),
                here.workers(),
                true,
                NOW);
        TaskSetStatus status = RunStatus.of(away, RunPlanner.plan(away), Optional.empty());
        assertThat(status.progress()).isEqualTo("412/1000");
        assertThat(status.sourceHash()).isEqualTo("h");
        assertThat(reason(status, ConditionType.StoreReachable)).isEqualTo("Unreachable");
        assertThat(Conditions.isTrue(status.conditions(), ConditionType.Finished))
                .isFalse();
    }

    @Test
    void anOperatorThatHasJustStartedChangesNothingThatWasSaid() {
        RunView here = view(s -> s, NONE, Optional.of(run(1000, 409, 3, 16)));
        TaskSetStatus before = RunStatus.of(here, new RunStep.Steer(List.of(), false), Optional.of("h"));
        RunView started = new RunView(
                here.set(),
                before,
                new StoreSight.Away(StoreReason.NotAsked, StoreReason.NotAsked.sentence()),
                here.workers(),
                false,
                NOW);
        TaskSetStatus status = RunStatus.of(started, RunPlanner.plan(started), Optional.empty());
        assertThat(status).isEqualTo(before);
    }

    @Test
    void aRunThatIsOverHasNoWorkers() {
        var pool = Samples.pool("tset-specs", 2);
        pool.setStatus(
                WorkerPoolStatusBuilder.builder().replicas(2).readyReplicas(2).build());
        RunView view = view(s -> s.replicas(2), NONE, Optional.of(run(10, 10, 0, 0)));
        RunView staffed =
                new RunView(view.set(), NONE, view.store(), new WorkersSight.Own(Optional.of(pool)), true, NOW);
        assertThat(RunStatus.of(staffed, new RunStep.Steer(List.of(), false), Optional.empty())
                        .workers())
                .isEqualTo("2/2");
        assertThat(status(staffed, "SUCCEEDED").workers()).isEqualTo("0/2");
        assertThat(status(staffed, "SUCCEEDED").replicas()).isZero();
    }

    @Test
    void anEstimateAloneIsNotWorthAWrite() {
        TaskSetStatus written =
                TaskSetStatusBuilder.builder().total(3L).eta("3m").build();
        assertThat(RunStatus.change(
                        Optional.of(written),
                        TaskSetStatusBuilder.builder(written).eta("2m").build()))
                .isEqualTo(Change.NONE);
        assertThat(RunStatus.change(
                        Optional.of(written),
                        TaskSetStatusBuilder.builder(written).running(1L).build()))
                .isEqualTo(Change.PROGRESS);
        RunView over = view(s -> s, written, Optional.of(run(10, 10, 0, 0)));
        assertThat(RunStatus.change(Optional.of(written), status(over, "SUCCEEDED")))
                .isEqualTo(Change.AT_ONCE);
    }

    @Test
    void theEndSaysHowItCame() {
        TaskSetSnapshot failed =
                ended(run(10, 8, 2, 0), dev.quiver.lifecycle.taskset.TaskSetStatus.FAILED, "TasksFailed");
        Verdict verdict = Verdict.of(Samples.counted(10).build(), failed);
        assertThat(verdict.succeeded()).isFalse();
        assertThat(verdict.reason()).isEqualTo(TaskSetReason.TasksFailed);
        assertThat(verdict.message()).isEqualTo("2 of 10 tasks failed. First: task 7, NonZeroExit with exit code 3.");
        assertThat(Verdict.of(Samples.counted(10).build(), raised(failed)).message())
                .isEqualTo("2 of 10 tasks failed. First: task 7, Exception: ValueError: seven");
        TaskSetSnapshot late =
                ended(run(10, 8, 0, 0), dev.quiver.lifecycle.taskset.TaskSetStatus.FAILED, "DeadlineExceeded");
        assertThat(Verdict.of(Samples.counted(10).activeDeadlineSeconds(60L).build(), late)
                        .message())
                .startsWith("The run took longer than spec.activeDeadlineSeconds: 60. 8 of 10 tasks");
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
        assertThat(Eta.of(run(1000, 409, 3, 16)).orElseThrow().text()).isEqualTo("7m");
        assertThat(Eta.of(run(1000, 0, 0, 16))).isEmpty();
        assertThat(Eta.of(run(1000, 409, 3, 0))).isEmpty();
    }

    private static TaskSetStatus status(RunView view, String finalStatus) {
        TaskSetSnapshot run = ended(
                view.store().snapshot().orElseThrow(),
                dev.quiver.lifecycle.taskset.TaskSetStatus.valueOf(finalStatus),
                "AllTasksSucceeded");
        RunView over = new RunView(
                view.set(), view.before(), new StoreSight.Here(Optional.of(run)), view.workers(), true, NOW);
        return RunStatus.of(over, new RunStep.Steer(List.of(), false), Optional.empty());
    }

    private static String reason(TaskSetStatus status, ConditionType type) {
        return Conditions.find(status.conditions(), type).orElseThrow().getReason();
    }

    private static List<Ending> endings(
            UnaryOperator<TaskSetSpecBuilder> spec, dev.quiver.lifecycle.taskset.TaskSetStatus status) {
        TaskSetSnapshot run = ended(run(10, 4, 0, 1), status, "");
        return ((RunStep.Steer) RunPlanner.plan(view(spec, ACCEPTED, Optional.of(run)))).endings();
    }

    private static RunView view(
            UnaryOperator<TaskSetSpecBuilder> spec, TaskSetStatus before, Optional<TaskSetSnapshot> run) {
        TaskSet set = Samples.set("specs", spec.apply(Samples.counted(10)));
        set.getMetadata().setUid("u");
        set.getMetadata().setGeneration(1L);
        WorkersSight workers = set.getSpec().sharedPool().isPresent()
                ? new WorkersSight.Shared(Samples.pool("p", 1))
                : new WorkersSight.Own(Optional.empty());
        return new RunView(set, before, new StoreSight.Here(run), workers, true, NOW);
    }

    private static TaskSetSnapshot ended(
            TaskSetSnapshot r, dev.quiver.lifecycle.taskset.TaskSetStatus status, String reason) {
        return ended(r, status, reason, r.failures());
    }

    private static TaskSetSnapshot raised(TaskSetSnapshot r) {
        dev.quiver.lifecycle.taskset.TaskFailure failure = new dev.quiver.lifecycle.taskset.TaskFailure(
                "7", 2, Optional.empty(), Optional.empty(), "Exception", "in total\nValueError: seven", true);
        return ended(r, r.status(), r.reason(), List.of(failure));
    }

    private static TaskSetSnapshot ended(
            TaskSetSnapshot r,
            dev.quiver.lifecycle.taskset.TaskSetStatus status,
            String reason,
            List<dev.quiver.lifecycle.taskset.TaskFailure> failures) {
        return new TaskSetSnapshot(
                r.uid(),
                r.pool(),
                status,
                reason,
                "",
                r.total(),
                true,
                r.queued(),
                r.running(),
                r.succeeded(),
                r.failed(),
                r.trials(),
                0,
                1,
                r.createdAt(),
                r.startedAt(),
                Optional.of(NOW),
                r.progressAt(),
                r.runTime(),
                r.passedRunTime(),
                NOW,
                failures);
    }

    private static TaskSetSnapshot run(long total, long succeeded, long failed, long running) {
        long decided = succeeded + failed;
        List<TaskFailure> failures = failed == 0
                ? List.of()
                : List.of(new TaskFailure("7", 3, Optional.of(3), Optional.empty(), "NonZeroExit", "no", true));
        return new TaskSetSnapshot(
                "u",
                "tset-specs",
                dev.quiver.lifecycle.taskset.TaskSetStatus.RUNNING,
                "",
                "",
                total,
                true,
                total - decided - running,
                running,
                succeeded,
                failed,
                decided,
                0,
                1,
                NOW.minusSeconds(600),
                Optional.of(NOW.minusSeconds(600)),
                Optional.empty(),
                Optional.of(NOW),
                Duration.ofSeconds(10 * decided),
                Duration.ofSeconds(10 * succeeded),
                NOW,
                failures);
    }
}
