package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.RunPace;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.ResultJson;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreePace;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreeSamples;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskError;
import dev.quiver.crds.v1alpha1.TaskIterator;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeBuilder;
import dev.quiver.crds.v1alpha1.TaskNodeStatus;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;

class TaskDecidersTest {

    private static final String UID = "0d1f9a3e-5c56-4a5e-9d5b-1a2b3c4d5e6f";
    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
    private static final TaskStatus NEW = TaskStatusBuilder.builder().build();
    private static final TaskStatus ACCEPTED =
            TaskStatusBuilder.builder().progress("0/1").workHash("h").build();

    private static TaskSpecBuilder spec() {
        return TaskSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("shared"))
                .nodes(List.of(
                        TaskNode.ofChain("all", "a", "b"),
                        TaskNode.ofCommand("a", "true"),
                        TaskNode.ofCommand("b", "true"),
                        TaskNode.ofCommand("tidy", "true")))
                .root("all")
                .cleanup("tidy");
    }

    private static WorkerPool pool(String name, int ready) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace("a").build());
        pool.setSpec(WorkerPoolSpecBuilder.builder().replicas(1).build());
        pool.setStatus(WorkerPoolStatusBuilder.builder().readyReplicas(ready).build());
        return pool;
    }

    private static TaskView view(TaskSpecBuilder spec, TaskStatus before, Optional<ObservedTree> tree) {
        return view(spec, before, new ObservedStore.Answered<>(tree), Set.of(pool("shared", 1)));
    }

    private static TaskView view(
            TaskSpecBuilder spec, TaskStatus before, ObservedStore<ObservedTree> store, Set<WorkerPool> pools) {
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
                .schedule(Optional.empty())
                .pools(TaskView.pools(
                        task.getSpec(),
                        store.snapshot(),
                        name -> pools.stream()
                                .filter(pool -> pool.getMetadata().getName().equals(name))
                                .findFirst()))
                .layout(new TreeLayout.Own())
                .prefixes(new GrantedPrefixes(Map.of(), false))
                .adjusted(true)
                .now(NOW)
                .build();
    }

    private static ObservedTree tree(TreeState.State root, boolean over, boolean suspended) {
        return tree(root, over, suspended, Optional.empty(), new TreeState.Counts(1, 1, 1, 0, 0, 0, 0));
    }

    private static ObservedTree tree(
            TreeState.State root,
            boolean over,
            boolean suspended,
            Optional<TreeReport.Failure> failure,
            TreeState.Counts counts) {
        return new ObservedTree(
                TreeReportBuilder.builder()
                        .state(new TreeState(root, 1, 3, counts, over, failure.map(TreeReport.Failure::error)))
                        .suspended(suspended)
                        .failure(failure)
                        .startedAt(Optional.of(NOW))
                        .finishedAt(over ? Optional.of(NOW.plusSeconds(5)) : Optional.empty())
                        .storeTime(NOW)
                        .nodes(List.of(new NodeState(UID, "all", root, 1, 3, 0, "")))
                        .queued(List.of())
                        .build(),
                Optional.empty());
    }

    private static ObservedTree failed(String node, String reason) {
        return tree(
                TreeState.State.FAILED,
                true,
                false,
                Optional.of(new TreeReport.Failure("n", new NodeError(node, 2, reason, "first\nlast"))),
                new TreeState.Counts(0, 1, 1, 0, 0, 0, 1));
    }

    private static TreePlan plan(TaskView view) {
        return TaskPlanner.plan(view);
    }

    private static Condition finished(TaskStatus status) {
        return Conditions.find(status.conditions(), ConditionType.Finished).orElseThrow();
    }

    private static TaskStatus status(TaskView view) {
        return TaskStatusCalculator.of(view, plan(view));
    }

    @Test
    void treeIsCreatedWhereItIsNotAndSteeredWhereItIs() {
        assertThat(plan(view(spec(), NEW, Optional.empty())))
                .isInstanceOfSatisfying(
                        TreePlan.Create.class,
                        create -> assertThat(create.resubmitted()).isFalse());
        assertThat(plan(view(spec(), ACCEPTED, Optional.of(tree(TreeState.State.IDLE, false, false)))))
                .isEqualTo(new TreePlan.Steer(List.of(), false, Optional.empty()));
    }

    /** The ranks of a later generation may be new to Redis, and a leader that has just begun does not know. */
    @Test
    void ranksOfALaterGenerationAreSaidOnce() {
        Optional<ObservedTree> tree = Optional.of(tree(TreeState.State.IDLE, false, false));
        assertThat(ranks(generation(view(spec().relPriority(7), ACCEPTED, tree), 2L, false)))
                .hasValueSatisfying(
                        maker -> assertThat(maker.of(UID, Duration.ZERO).root().children())
                                .extracting(node -> node.rank().relPriority())
                                .contains(7));
        assertThat(ranks(generation(view(spec().relPriority(7), ACCEPTED, tree), 2L, true)))
                .as("Redis has it")
                .isEmpty();
        assertThat(ranks(generation(view(spec().relPriority(7), ACCEPTED, tree), 1L, false)))
                .as("the tree was created with it")
                .isEmpty();
        Optional<ObservedTree> ended = Optional.of(tree(TreeState.State.FAILED, false, false));
        assertThat(ranks(generation(view(spec().relPriority(7), ACCEPTED, ended), 2L, false)))
                .as("the root has ended, and the node of spec.finally waits")
                .isPresent();
    }

    private static Optional<TreePlan.Maker> ranks(TaskView view) {
        return ((TreePlan.Steer) plan(view)).ranks();
    }

    private static TaskView generation(TaskView view, long generation, boolean adjusted) {
        view.task().getMetadata().setGeneration(generation);
        return TaskViewBuilder.builder(view).adjusted(adjusted).build();
    }

    @Test
    void treeThatWasThereAndIsNoMoreIsLost() {
        assertThat(plan(view(spec(), ACCEPTED, Optional.empty())))
                .isInstanceOfSatisfying(
                        TreePlan.Conclude.class, end -> assertThat(end.reason()).isEqualTo(TreeReason.StoreLost));
        assertThat(plan(view(spec().storeLossPolicy(StoreLossPolicy.Resubmit), ACCEPTED, Optional.empty())))
                .isInstanceOfSatisfying(
                        TreePlan.Create.class,
                        create -> assertThat(create.resubmitted()).isTrue());
    }

    /** The intent that is on record has no numbers, so a crash behind it counts no further loss. */
    @Test
    void resubmissionThatWasCutOffIsNoFurtherLoss() {
        TaskView lost = view(spec().storeLossPolicy(StoreLossPolicy.Resubmit), ACCEPTED, Optional.empty());
        TaskStatus intent = TaskStatusCalculator.intent(lost, 1);
        assertThat(intent.workHash()).hasSize(64);
        assertThat(TreeId.of(lost.task(), intent)).isEqualTo(UID + "-r1");
        assertThat(plan(view(spec().storeLossPolicy(StoreLossPolicy.Resubmit), intent, Optional.empty())))
                .isInstanceOfSatisfying(
                        TreePlan.Create.class,
                        create -> assertThat(create.resubmitted()).isFalse());
    }

    @Test
    void cancelWinsOverSuspendAlsoForTheNodeAtTheEnd() {
        TaskSpecBuilder both = spec().cancel(true).suspend(true);
        assertThat(plan(view(both, ACCEPTED, Optional.of(tree(TreeState.State.IDLE, false, true)))))
                .isEqualTo(
                        new TreePlan.Steer(List.of(Trees.Change.CANCEL, Trees.Change.RESUME), false, Optional.empty()));
        assertThat(plan(view(both, ACCEPTED, Optional.of(tree(TreeState.State.FAILED, false, true)))))
                .isEqualTo(new TreePlan.Steer(List.of(Trees.Change.RESUME), false, Optional.empty()));
    }

    /** A root that was cancelled before its time has ended, and has no start. */
    @Test
    void nodeAtTheEndIsAtWorkAlsoWhereTheRootNeverBegan() {
        TreeReport report = tree(TreeState.State.FAILED, false, false).report();
        ObservedTree tree = new ObservedTree(
                TreeReportBuilder.builder()
                        .state(report.state())
                        .storeTime(NOW)
                        .nodes(report.nodes())
                        .queued(List.of())
                        .build(),
                Optional.empty());
        TaskSpecBuilder postponed = spec().postponeSeconds(3600).cancel(true);
        assertThat(finished(status(view(postponed, ACCEPTED, Optional.of(tree)))))
                .returns("Running", Condition::getReason)
                .returns("The root has ended; node tidy of spec.finally is at work.", Condition::getMessage);
    }

    @Test
    void suspendAndResumeFollowTheSpec() {
        assertThat(plan(view(spec().suspend(true), ACCEPTED, Optional.of(tree(TreeState.State.IDLE, false, false)))))
                .isEqualTo(new TreePlan.Steer(List.of(Trees.Change.SUSPEND), false, Optional.empty()));
        assertThat(plan(view(spec(), ACCEPTED, Optional.of(tree(TreeState.State.IDLE, false, true)))))
                .isEqualTo(new TreePlan.Steer(List.of(Trees.Change.RESUME), false, Optional.empty()));
        assertThat(plan(view(spec().suspend(true), NEW, Optional.empty())))
                .isInstanceOfSatisfying(
                        TreePlan.Hold.class, hold -> assertThat(hold.reason()).isEqualTo(TreeReason.Suspended));
    }

    @Test
    void finishedTaskWhoseTreeGoesOnIsEndedAgain() {
        TaskStatus over = status(view(spec(), ACCEPTED, Optional.of(failed(UID, "Cancelled"))));
        assertThat(plan(view(spec(), over, Optional.of(tree(TreeState.State.IDLE, false, false)))))
                .isEqualTo(new TreePlan.Retire(true));
        assertThat(plan(view(spec(), over, Optional.empty()))).isEqualTo(new TreePlan.Retire(false));
    }

    @Test
    void graphThatIsNoTreeEndsTheTaskEvenWithoutRedisAndPool() {
        TaskSpecBuilder orphan = spec().cleanup(null);
        ObservedStore<ObservedTree> away = new ObservedStore.Away<>(StoreReason.Unreachable, "no route");
        for (TaskView view : List.of(view(orphan, NEW, away, Set.of()), view(orphan, NEW, Optional.empty()))) {
            assertThat(plan(view)).isInstanceOfSatisfying(TreePlan.Conclude.class, end -> {
                assertThat(end.reason()).isEqualTo(TaskReason.GraphInvalid);
                assertThat(end.message()).startsWith("node tidy: ").endsWith(".");
            });
        }
    }

    @Test
    void endHasItsReason() {
        assertThat(finished(status(view(spec(), ACCEPTED, Optional.of(failed(UID + ".2", "NonZeroExit"))))))
                .returns("NodeFailed", Condition::getReason)
                .returns(
                        "Node n failed in trial 2: NonZeroExit: last. 1 of 3 units of progress were done.",
                        Condition::getMessage);
        assertThat(finished(status(view(
                        spec().activeDeadlineSeconds(9L), ACCEPTED, Optional.of(failed(UID, "DeadlineExceeded"))))))
                .returns("DeadlineExceeded", Condition::getReason);
        assertThat(finished(status(view(
                        spec().activeDeadlineSeconds(9L),
                        ACCEPTED,
                        Optional.of(failed(UID + ".1", "DeadlineExceeded"))))))
                .as("the time of a node")
                .returns("NodeFailed", Condition::getReason);
        assertThat(finished(status(view(spec().cancel(true), ACCEPTED, Optional.of(failed(UID, "Cancelled"))))))
                .returns("Cancelled", Condition::getReason);
        ObservedTree good = tree(
                TreeState.State.FINISHED, true, false, Optional.empty(), new TreeState.Counts(0, 0, 0, 0, 0, 4, 0));
        assertThat(finished(status(view(spec(), ACCEPTED, Optional.of(good)))))
                .returns("RootSucceeded", Condition::getReason)
                .returns("True", Condition::getStatus);
    }

    @Test
    void taskThatGaveWayToAnotherOneOfItsNameSaysSo() {
        var error = Optional.of(new TreeReport.Failure("n", new NodeError(UID, 0, "Replaced", "Task b came")));
        ObservedTree unbegun =
                tree(TreeState.State.FAILED, true, false, error, new TreeState.Counts(0, 0, 0, 0, 0, 0, 4));
        assertThat(TaskEvents.of(ACCEPTED, status(view(spec(), ACCEPTED, Optional.of(unbegun)))))
                .containsExactly(Event.normal("Replaced", "It gave way: Task b came."));
        Condition ofTrial = finished(status(view(spec(), ACCEPTED, Optional.of(failed(UID, "Replaced")))));
        assertThat(ofTrial.getReason()).as("a function said that word").isEqualTo("NodeFailed");
    }

    @Test
    void aTaskThatHadNoWorkerWhenItsTimeRanOutSaysWhy() {
        WorkerPool pool = pool("shared", 0);
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .conditions(List.of(new ConditionBuilder()
                        .withType("Ready")
                        .withStatus("False")
                        .withReason("ImagePullFailed")
                        .withMessage("1 pod: image x:1 cannot be pulled.")
                        .build()))
                .build());
        for (String node : List.of(UID, UID + ".1")) {
            var late = new ObservedStore.Answered<>(Optional.of(failed(node, "DeadlineExceeded")));
            assertThat(finished(status(view(spec().activeDeadlineSeconds(9L), ACCEPTED, late, Set.of(pool))))
                            .getMessage())
                    .endsWith("were done. WorkerPool shared: ImagePullFailed: 1 pod: image x:1 cannot be pulled.");
        }
        var broken = new ObservedStore.Answered<>(Optional.of(failed(UID + ".1", "NonZeroExit")));
        assertThat(finished(status(view(spec(), ACCEPTED, broken, Set.of(pool))))
                        .getMessage())
                .doesNotContain("WorkerPool");
    }

    @Test
    void overTreeHasNoNodeThatGoesOn() {
        TaskStatus status = status(view(spec(), ACCEPTED, Optional.of(failed(UID + ".1", "Error"))));
        assertThat(status.nodes().finished()).isEqualTo(3);
        assertThat(status.nodes().failed()).isEqualTo(3);
        assertThat(status.nodes().idle()).isZero();
        assertThat(status.state()).isEqualTo(TaskState.FINISHED);
        assertThat(status.completionTime()).isEqualTo("2026-01-01T10:00:05Z");
        assertThat(status.error().message()).isEqualTo("last");
        assertThat(status.error().trace()).isEqualTo("first\nlast");
    }

    @Test
    void goingTaskReportsWhyNothingRuns() {
        Optional<ObservedTree> tree = Optional.of(tree(TreeState.State.IDLE, false, false));
        assertThat(finished(status(view(spec(), ACCEPTED, tree)))).returns("Running", Condition::getReason);
        var none = new ObservedStore.Answered<>(tree);
        assertThat(finished(status(view(spec(), ACCEPTED, none, Set.of(pool("shared", 0))))))
                .returns("WaitingForWorkers", Condition::getReason)
                .returns("1 node waits and no worker is ready.", Condition::getMessage);
        assertThat(finished(status(view(spec(), ACCEPTED, none, Set.of()))))
                .returns("WorkerPoolNotFound", Condition::getReason);
    }

    @Test
    void onlyPoolsOfQueuedNodesAreTheReasonWhyNothingRuns() {
        TaskSpecBuilder spec = spec().nodes(List.of(
                TaskNode.ofChain("all", "a", "b"),
                TaskNode.ofCommand("a", "true"),
                TaskNodeBuilder.builder(TaskNode.ofCommand("b", "true"))
                        .workerPoolRef(new WorkerPoolRef("large"))
                        .build(),
                TaskNode.ofCommand("tidy", "true")));
        TreeReport root = tree(TreeState.State.IDLE, false, false).report();
        for (String queued : List.of("a", "b")) {
            TreeReport report = TreeReportBuilder.builder()
                    .state(root.state())
                    .startedAt(root.startedAt())
                    .storeTime(NOW)
                    .nodes(List.of(
                            root.nodes().getFirst(),
                            new NodeState(UID + ".1", queued, TreeState.State.STARTABLE, 0, 1, 1, "")))
                    .queued(List.of())
                    .build();
            var answer = new ObservedStore.Answered<>(Optional.of(new ObservedTree(report, Optional.empty())));
            Set<WorkerPool> pools = Set.of(pool("shared", 1), pool("large", 0));
            assertThat(finished(status(view(spec, ACCEPTED, answer, pools))))
                    .as(queued)
                    .returns(queued.equals("a") ? "Running" : "WaitingForWorkers", Condition::getReason);
        }
    }

    @Test
    void aMapThatWaitsForMemoryIsNamedBeforeItsWorkers() {
        TreeReport root = tree(TreeState.State.IDLE, false, false).report();
        TreeReport report = TreeReportBuilder.builder()
                .state(root.state())
                .startedAt(root.startedAt())
                .storeTime(NOW)
                .nodes(List.of(
                        root.nodes().getFirst(),
                        new NodeState(
                                UID + ".1", "sizes", TreeState.State.WAITING, 0, 1, 0, "no memory for 40 chunks")))
                .queued(List.of())
                .build();
        var answer = new ObservedStore.Answered<>(Optional.of(new ObservedTree(report, Optional.empty())));
        assertThat(finished(status(view(spec(), ACCEPTED, answer, Set.of(pool("shared", 0))))))
                .returns("OutOfMemory", Condition::getReason)
                .returns("A map waits and is tried again: no memory for 40 chunks.", Condition::getMessage);
    }

    private static TaskStatus waitingFor(TaskSpecBuilder spec, Set<WorkerPool> pools, TreeReport.Queued... queued) {
        TreeReport root = tree(TreeState.State.IDLE, false, false).report();
        TreeReport report = TreeReportBuilder.builder()
                .state(root.state())
                .startedAt(root.startedAt())
                .storeTime(NOW)
                .nodes(root.nodes())
                .queued(List.of(queued))
                .build();
        return status(view(
                spec,
                ACCEPTED,
                new ObservedStore.Answered<>(Optional.of(new ObservedTree(report, Optional.empty()))),
                pools));
    }

    private static WorkerPool serving(String name, String... handlers) {
        WorkerPool pool = pool(name, 1);
        pool.setSpec(WorkerPoolSpecBuilder.builder()
                .replicas(1)
                .handler(new Handler(List.of("serve")))
                .build());
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .readyReplicas(1)
                .handlers(List.of(handlers))
                .build());
        return pool;
    }

    @Test
    void functionOfAnIteratorsChildThatNobodyServesIsACondition() {
        TaskSpecBuilder spec = spec().nodes(List.of(TaskNode.ofIterator("all", TaskIterator.ofHandler("walk"))))
                .root("all")
                .cleanup(null);
        TaskStatus status = waitingFor(
                spec, Set.of(serving("shared", "walk")), new TreeReport.Queued("row", "shared", Optional.of("rwo")));
        assertThat(Conditions.find(status.conditions(), ConditionType.HandlerAvailable)
                        .orElseThrow())
                .returns("False", Condition::getStatus)
                .returns("NotServed", Condition::getReason)
                .returns("No worker of pool shared serves handler \"rwo\"; served are: walk.", Condition::getMessage);
        assertThat(finished(status))
                .returns("WaitingForWorkers", Condition::getReason)
                .returns("No worker of pool shared serves handler \"rwo\"; served are: walk.", Condition::getMessage);
    }

    @Test
    void poolThatOnlyAnIteratorsChildNamesIsLookedAt() {
        TreeReport.Queued there = new TreeReport.Queued("row", "large", Optional.empty());
        assertThat(finished(waitingFor(spec(), Set.of(pool("shared", 0), pool("large", 1)), there)))
                .returns("Running", Condition::getReason);
        assertThat(finished(waitingFor(spec(), Set.of(pool("shared", 1)), there)))
                .returns("WorkerPoolNotFound", Condition::getReason)
                .returns(
                        "There is no WorkerPool large any more; work that is to run there waits until it is made again.",
                        Condition::getMessage);
    }

    @Test
    void noPoolIsNamedWhereNoQueuedNodeWasSeen() {
        TaskSpecBuilder two = spec().nodes(List.of(
                TaskNode.ofChain("all", "a", "b"),
                TaskNode.ofCommand("a", "true"),
                TaskNodeBuilder.builder(TaskNode.ofCommand("b", "true"))
                        .workerPoolRef(new WorkerPoolRef("large"))
                        .build(),
                TaskNode.ofCommand("tidy", "true")));
        assertThat(finished(waitingFor(two, Set.of(pool("shared", 1), pool("large", 0)))))
                .returns("Running", Condition::getReason);
    }

    @Test
    void numbersStayWhileRedisIsAway() {
        ObservedStore<ObservedTree> away = new ObservedStore.Away<>(StoreReason.Unreachable, "no route");
        TaskStatus status = status(view(spec(), ACCEPTED, away, Set.of(pool("shared", 1))));
        assertThat(status.progress()).isEqualTo("0/1");
        assertThat(Conditions.find(status.conditions(), ConditionType.StoreReachable)
                        .orElseThrow()
                        .getStatus())
                .isEqualTo("False");
    }

    @Test
    void unchangedStatusIsNotWrittenAndTheEndAtOnce() {
        TaskStatus going = status(view(spec(), ACCEPTED, Optional.of(tree(TreeState.State.IDLE, false, false))));
        TaskStatus over = status(view(spec(), going, Optional.of(failed(UID, "Cancelled"))));
        assertThat(TaskStatusCalculator.change(Optional.of(going), going)).isEqualTo(Change.NONE);
        assertThat(TaskStatusCalculator.change(Optional.of(ACCEPTED), going)).isEqualTo(Change.PROGRESS);
        assertThat(TaskStatusCalculator.change(Optional.of(going), over)).isEqualTo(Change.AT_ONCE);
        assertThat(TaskEvents.of(NEW, going)).extracting(Event::reason).containsExactly("Accepted");
        assertThat(TaskEvents.of(going, over)).extracting(Event::reason).containsExactly("Cancelled");
    }

    @Test
    void nextLookComesAtOnceBehindTheEndAndSoonWhereRedisDidNotHear() {
        TaskView over = view(spec(), ACCEPTED, Optional.of(failed(UID, "Cancelled")));
        TreeActions.Applied steered =
                new TreeActions.Applied(new TreePlan.Steer(List.of(), false, Optional.empty()), true, false, true);
        assertThat(TreePace.next(over, steered, Optional.empty(), true, TaskPace.of(over)))
                .isEqualTo(RunPace.AT_ONCE);
        TaskView going = view(spec(), ACCEPTED, Optional.of(tree(TreeState.State.IDLE, false, false)));
        assertThat(TreePace.next(going, steered, Optional.empty(), true, TaskPace.of(going)))
                .isEqualTo(RunPace.NOTHING_DUE);
        TreeActions.Applied unheard = new TreeActions.Applied(steered.plan(), true, false, false);
        assertThat(TreePace.next(going, unheard, Optional.empty(), true, TaskPace.of(going)))
                .isEqualTo(RunPace.STORE);
        assertThat(TreePace.next(going, unheard, Optional.of(Duration.ofMillis(300)), false, TaskPace.of(going)))
                .isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void treeShrinksFirstAndThenTheResult() {
        List<TaskNodeStatus> rows = IntStream.range(0, 40)
                .mapToObj(i -> new TaskNodeStatus("n" + i, TaskState.FINISHED, "0/1", 1, "<".repeat(300)))
                .toList();
        TextNode result = new TextNode("x".repeat(4000));
        TreeSamples room = TreeSamples.beside(List.of(), 0, Optional.empty(), Optional.of(result), rows);
        assertThat(room.result()).isPresent();
        assertThat(room.tree()).hasSize(4).allMatch(row -> row.message().startsWith("…"));
        assertThat(TreeSamples.beside(List.of(), 0, Optional.empty(), Optional.of(new TextNode("<".repeat(1000))), rows)
                        .result())
                .as("six bytes each in the API server")
                .isEmpty();
        Condition wordy = new Condition();
        wordy.setMessage("x".repeat(1500));
        assertThat(TreeSamples.beside(List.of(wordy), 0, Optional.empty(), Optional.of(result), rows)
                        .result())
                .isEmpty();
    }

    @Test
    void wordsOfAWorkerBecomeWhatTheApiServerTakes() {
        var error = new TaskError("n", 0, "no word", "\u0007".repeat(900), "y".repeat(9000));
        List<Condition> conditions = Stream.generate(() -> {
                    Condition condition = new Condition();
                    condition.setMessage("x".repeat(1024));
                    return condition;
                })
                .limit(4)
                .collect(Collectors.toList());
        TreeSamples samples = TreeSamples.beside(conditions, 0, Optional.of(error), Optional.empty(), List.of());
        assertThat(samples.error()).hasValueSatisfying(shown -> {
            assertThat(shown.reason()).isEqualTo("Error");
            assertThat(shown.trial()).isNull();
            assertThat(shown.message()).as("seven bytes each").isEqualTo("…" + "\\u0007".repeat(72));
            assertThat(shown.trace()).as("the room that is left").hasSizeBetween(1, 100);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e400", "\"\\ud800\"", "{\"\\udc00\":1}", "12345678901234567890", "[", "", "1 2"})
    void resultThatTheApiServerCannotKeepIsNotShown(String json) {
        assertThat(ResultJson.of(json)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "0", "false", "\"\"", "[1.50,{\"a\":[]}]", "9223372036854775807", "\"😀\""})
    void anyOtherResultIs(String json) {
        assertThat(ResultJson.of(json))
                .hasValueSatisfying(node -> assertThat(node).hasToString(json));
    }

    @Test
    void idsOfTreesNameTheirResource() {
        assertThat(TreeId.owner(UID)).hasValue(UID);
        assertThat(TreeId.owner(UID + "-r12")).hasValue(UID);
        assertThat(TreeId.owner("q1w2e3r4t5z6u7i8")).isEmpty();
        assertThat(TreeId.owner("chunks:" + UID + "-r12.7")).hasValue(UID);
        assertThat(TreeId.owner("chunks:q1w2e3r4t5z6u7i8.2")).isEmpty();
        assertThat(TreeId.ordinal(UID)).isZero();
        assertThat(TreeId.ordinal(UID + "-r1.17")).isEqualTo(17);
    }
}
