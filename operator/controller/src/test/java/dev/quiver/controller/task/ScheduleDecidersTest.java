package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreePlanner;
import dev.quiver.controller.tree.WorkHash;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskRun;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskScheduleBuilder;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

class ScheduleDecidersTest {

    private static final String UID = "0d1f9a3e-5c56-4a5e-9d5b-1a2b3c4d5e6f";
    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
    private static final TaskStatus NEW = TaskStatusBuilder.builder().build();

    private static String hash(TaskSpec spec) {
        return WorkHash.of(spec.task(), spec.nodes(), spec.root(), spec.cleanup());
    }

    private static TaskStatus accepted(TaskSpecBuilder spec) {
        return TaskStatusBuilder.builder()
                .schedule(new TaskScheduleStatus(null, null, null, 0L, List.of()))
                .workHash(hash(spec.build()))
                .build();
    }

    private static TaskSpecBuilder spec() {
        return TaskSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("shared"))
                .nodes(List.of(TaskNode.ofCommand("a", "true")))
                .schedule(TaskSchedule.ofCron("@daily"));
    }

    private static WorkerPool pool() {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withName("shared").withNamespace("a").build());
        pool.setSpec(WorkerPoolSpecBuilder.builder().replicas(1).build());
        return pool;
    }

    private static TaskView view(
            TaskSpecBuilder spec,
            TaskStatus before,
            Optional<ScheduleReport> schedule,
            boolean adjusted,
            WorkerPool... pools) {
        return view(spec, before, new ObservedStore.Answered<>(Optional.empty()), schedule, adjusted, pools);
    }

    private static TaskView view(
            TaskSpecBuilder spec,
            TaskStatus before,
            ObservedStore<ObservedTree> store,
            Optional<ScheduleReport> schedule,
            boolean adjusted,
            WorkerPool... pools) {
        Task task = new Task();
        task.setMetadata(new ObjectMetaBuilder()
                .withName("t")
                .withNamespace("a")
                .withUid(UID)
                .withGeneration(1L)
                .build());
        task.setSpec(spec.build());
        return TaskViewBuilder.builder()
                .task(task)
                .before(before)
                .keyspace(Keyspace.ofNamespace("a"))
                .store(store)
                .schedule(schedule)
                .pools(TaskView.pools(
                        task.getSpec(),
                        Optional.empty(),
                        name -> Stream.of(pools)
                                .filter(pool -> pool.getMetadata().getName().equals(name))
                                .findFirst()))
                .layout(new TreeLayout.Own())
                .prefixes(new GrantedPrefixes(Map.of(), false))
                .adjusted(adjusted)
                .now(NOW)
                .build();
    }

    private static Optional<ScheduleReport> there(Optional<Instant> next, ScheduleReport.Run... runs) {
        return Optional.of(new ScheduleReport(NOW, next, Optional.of(NOW), Optional.empty(), 4, List.of(runs)));
    }

    private static Optional<ScheduleReport> going(ScheduleReport.Run... runs) {
        return there(Optional.of(NOW.plusSeconds(60)), runs);
    }

    private static ScheduleReport.Run run(long number, TreeState.State state, boolean over, String reason) {
        return new ScheduleReport.Run(
                number,
                UID + "-" + number,
                NOW,
                Optional.of(NOW),
                over ? Optional.of(NOW) : Optional.empty(),
                state,
                false,
                reason,
                false);
    }

    private static ScheduleReport.Run live(long number) {
        return run(number, TreeState.State.IDLE, false, "");
    }

    private static ScheduleReport.Run good(long number) {
        return run(number, TreeState.State.FINISHED, true, "");
    }

    private static ScheduleReport.Run bad(long number, String reason) {
        return run(number, TreeState.State.FAILED, true, reason);
    }

    private static TreePlan.Recur recur(TaskView view) {
        return (TreePlan.Recur) TaskPlanner.plan(view);
    }

    @Test
    void isPutWhereItIsNotAndAfterEachChange() {
        TreePlan.Recur begun = recur(view(spec(), NEW, Optional.empty(), false, pool()));
        assertThat(begun.put()).isPresent();
        assertThat(begun.resubmitted()).isFalse();
        assertThat(recur(view(spec(), accepted(spec()), going(), false)).put())
                .as("its work is there, so no pool is needed")
                .isPresent();
        assertThat(recur(view(spec(), accepted(spec()), going(), true)).put()).isEmpty();
        assertThat(TaskPlanner.plan(view(spec(), NEW, Optional.empty(), false)))
                .isEqualTo(new TreePlan.Hold(
                        TreeReason.WorkerPoolNotFound,
                        "spec.workerPoolRef.name: there is no WorkerPool shared in this namespace."));
        assertThat(recur(view(spec().suspend(true), NEW, Optional.empty(), false, pool()))
                        .put())
                .as("what is missed meanwhile counts")
                .isPresent();
    }

    @Test
    void theStatusHasTheWorkThatRedisHasForTheNextRun() {
        TaskStatus older = TaskStatusBuilder.builder(accepted(spec()))
                .workHash("older")
                .observedGeneration(0L)
                .build();
        assertThat(WorkHash.next(view(spec(), older, going(), false)))
                .as("Redis has not got the new one")
                .isEqualTo("older");
        assertThat(WorkHash.next(view(spec(), older, going(), true))).isEqualTo(hash(spec().build()));
        TaskStatus present =
                TaskStatusBuilder.builder(older).observedGeneration(1L).build();
        assertThat(WorkHash.next(view(spec(), present, going(), true)))
                .as("withheld")
                .isEqualTo("older");
        assertThat(WorkHash.next(view(spec(), NEW, going(), false))).isEqualTo(hash(spec().build()));
    }

    /** Its runs end in Redis; the schedule itself ends when the operator finds that nothing goes on. */
    @Test
    void aScheduleEndsByTheOperatorsClock() {
        ObservedTree latest = new ObservedTree(
                TreeReportBuilder.builder()
                        .state(new TreeState(
                                TreeState.State.FINISHED,
                                1,
                                1,
                                new TreeState.Counts(0, 0, 0, 0, 0, 1, 0),
                                true,
                                Optional.empty()))
                        .startedAt(Optional.of(NOW))
                        .finishedAt(Optional.of(NOW.minusSeconds(3600)))
                        .storeTime(NOW)
                        .nodes(List.of())
                        .queued(List.of())
                        .build(),
                Optional.empty());
        ObservedStore<ObservedTree> store = new ObservedStore.Answered<>(Optional.of(latest));
        assertThat(view(spec(), accepted(spec()), store, going(good(1)), true).end())
                .isEqualTo(NOW);
        assertThat(view(spec().schedule(null), accepted(spec()), store, Optional.empty(), true)
                        .end())
                .isEqualTo(NOW.minusSeconds(3600));
    }

    @Test
    void senselessTimesEndItWhateverElseIs() {
        TaskSpecBuilder never = spec().schedule(TaskSchedule.ofCron("0 0 30 2 *"));
        for (TaskView view : List.of(
                view(never, NEW, Optional.empty(), false),
                view(never, NEW, new ObservedStore.Away<>(StoreReason.Unreachable, ""), Optional.empty(), false))) {
            assertThat(TaskPlanner.plan(view))
                    .isEqualTo(new TreePlan.Conclude(
                            TreeReason.ScheduleInvalid,
                            "spec.schedule: cron \"0 0 30 2 *\" never comes: there is no such day."));
        }
    }

    @Test
    void senselessChangeLeavesTheScheduleAsItWas() {
        TaskSchedule typo = TaskScheduleBuilder.builder(TaskSchedule.ofCron("@daily"))
                .timeZone("Europe/Belrin")
                .build();
        TaskView view = view(spec().schedule(typo).suspend(true), accepted(spec()), going(live(2)), false, pool());
        TreePlan.Recur plan = recur(view);
        assertThat(plan.put()).isEmpty();
        assertThat(plan.changes()).containsExactly(new TreePlan.RunChange(UID + "-2", Change.SUSPEND));
        TaskStatus status = TaskStatusCalculator.of(view, plan);
        assertThat(Conditions.find(status.conditions(), ConditionType.Finished).orElseThrow())
                .returns("False", Condition::getStatus)
                .returns("ScheduleInvalid", Condition::getReason)
                .returns(
                        "spec.schedule: time zone \"Europe/Belrin\" is unknown."
                                + " The schedule and its work go on as they were before this change.",
                        Condition::getMessage);
        assertThat(status.workHash()).isEqualTo(hash(spec().build()));
        assertThat(TaskEvents.of(accepted(spec()), status))
                .contains(Event.warning(
                        "ScheduleInvalid",
                        Conditions.find(status.conditions(), ConditionType.Finished)
                                .orElseThrow()
                                .getMessage()));
        TaskSpecBuilder circle = spec().nodes(List.of(TaskNode.ofChain("a", "a")));
        TreePlan.Recur kept = recur(view(circle, accepted(spec()), going(), false, pool()));
        assertThat(kept.put()).isEmpty();
        assertThat(kept.withheld().orElseThrow().reason()).isEqualTo(TaskReason.GraphInvalid);
        assertThat(recur(view(circle.cancel(true), accepted(spec()), going(live(1)), false, pool())))
                .isEqualTo(new TreePlan.Recur(
                        Optional.empty(),
                        false,
                        true,
                        false,
                        List.of(new TreePlan.RunChange(UID + "-1", Change.CANCEL)),
                        Optional.empty()));
    }

    @Test
    void newWorkWithoutItsPoolWaitsAndRunsAreSteered() {
        TaskSpecBuilder other =
                spec().nodes(List.of(TaskNode.ofCommand("b", "true"))).suspend(true);
        TreePlan.Recur plan = recur(view(other, accepted(spec()), going(live(2)), false));
        assertThat(plan.put()).isEmpty();
        assertThat(plan.withheld().orElseThrow().reason()).isEqualTo(TreeReason.WorkerPoolNotFound);
        assertThat(plan.changes()).containsExactly(new TreePlan.RunChange(UID + "-2", Change.SUSPEND));
    }

    @Test
    void lossEndsItOrBeginsItAnew() {
        assertThat(TaskPlanner.plan(view(spec(), accepted(spec()), Optional.empty(), true, pool())))
                .isEqualTo(TreePlanner.LOST);
        TaskSpecBuilder again = spec().storeLossPolicy(StoreLossPolicy.Resubmit);
        assertThat(recur(view(again, accepted(again), Optional.empty(), true, pool()))
                        .resubmitted())
                .isTrue();
    }

    @Test
    void cancelStopsItAndItsRunsAndEndsItAfterThem() {
        TaskSpecBuilder cancelled = spec().cancel(true);
        TaskView before = view(cancelled, accepted(spec()), going(live(2), good(1)), false, pool());
        assertThat(recur(before).stop()).isTrue();
        assertThat(recur(before).changes()).containsExactly(new TreePlan.RunChange(UID + "-2", Change.CANCEL));
        assertThat(Conditions.isTrue(
                        TaskStatusCalculator.of(before, recur(before)).conditions(), ConditionType.Finished))
                .isFalse();
        TaskView after = view(cancelled, accepted(spec()), there(Optional.empty(), bad(2, "Cancelled")), true, pool());
        TaskStatus over = TaskStatusCalculator.of(after, recur(after));
        assertThat(Conditions.isTrue(over.conditions(), ConditionType.Finished)).isTrue();
        assertThat(over.completionTime()).isEqualTo("2026-01-01T10:00:00Z");
        assertThat(over.schedule().nextScheduleTime()).isNull();
        assertThat(TaskPlanner.plan(view(cancelled, over, there(Optional.empty(), bad(2, "")), true)))
                .isEqualTo(new TreePlan.Retire(false));
        assertThat(TaskPlanner.plan(view(cancelled, over, going(), true))).isEqualTo(new TreePlan.Retire(true));
    }

    @Test
    void suspendIsForRunsThatGoOn() {
        assertThat(recur(view(spec().suspend(true), accepted(spec()), going(live(2), good(1)), true))
                        .changes())
                .containsExactly(new TreePlan.RunChange(UID + "-2", Change.SUSPEND));
        TaskSchedule resting = TaskScheduleBuilder.builder(TaskSchedule.ofCron("@daily"))
                .suspend(true)
                .build();
        TaskView view = view(spec().schedule(resting), accepted(spec()), going(live(2)), true, pool());
        assertThat(recur(view).changes()).isEmpty();
        TaskStatus status = TaskStatusCalculator.of(view, recur(view));
        assertThat(status.schedule().nextScheduleTime()).isNull();
        assertThat(Conditions.find(status.conditions(), ConditionType.Finished)
                        .orElseThrow()
                        .getMessage())
                .contains("spec.schedule.suspend is true");
    }

    @Test
    void runsBeyondTheLimitsAreForgottenAndNotShown() {
        TaskView view = view(
                spec(),
                accepted(spec()),
                going(live(9), good(8), bad(7, "DeadlineExceeded"), bad(6, ""), good(5), good(4), good(3)),
                true,
                pool());
        assertThat(recur(view).tidy()).isTrue();
        TaskScheduleStatus status = TaskStatusCalculator.of(view, recur(view)).schedule();
        assertThat(status.runs()).extracting(TaskRun::run).containsExactly(9L, 8L, 7L, 5L, 4L);
        assertThat(status.runs())
                .extracting(TaskRun::reason)
                .containsExactly(null, "RootSucceeded", "DeadlineExceeded", "RootSucceeded", "RootSucceeded");
        assertThat(status.missed()).isEqualTo(4);
        assertThat(recur(view(spec(), accepted(spec()), going(live(9), good(8), bad(7, "")), true, pool()))
                        .tidy())
                .isFalse();
    }

    @Test
    void tenRunsAreShownAtMost() {
        List<ScheduleReport.Run> many = new ArrayList<>();
        LongStream.rangeClosed(1, 40).forEach(i -> many.addFirst(live(i)));
        TaskView view = view(spec(), accepted(spec()), going(many.toArray(ScheduleReport.Run[]::new)), true, pool());
        assertThat(TaskStatusCalculator.of(view, recur(view)).schedule().runs())
                .hasSize(TaskScheduleStatus.MAX_RUNS)
                .first()
                .returns(40L, TaskRun::run);
    }
}
