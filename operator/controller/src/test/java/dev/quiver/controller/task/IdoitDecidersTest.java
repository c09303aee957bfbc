package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeActions;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreePace;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreePlanner;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.GrantedType;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeBuilder;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.Wire;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;

/** The operator's decisions about Tasks in the layout of idoit. */
class IdoitDecidersTest {

    private static final String UID = "0d1f9a3e-5c56-4a5e-9d5b-1a2b3c4d5e6f";
    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
    private static final TaskStatus NEW = TaskStatusBuilder.builder().build();
    private static final TaskStatus ACCEPTED = TaskStatusBuilder.builder()
            .progress("0/2")
            .workHash("h")
            .grantedPrefix("idoit:")
            .build();
    private static final GrantedPrefixes GRANTED = new GrantedPrefixes(Map.of("a", "idoit:"), false);
    private static final GrantedPrefixes OTHER = new GrantedPrefixes(Map.of("a", "other:"), false);
    private static final GrantedPrefixes NONE = new GrantedPrefixes(Map.of(), false);
    private static final GrantedPrefix KEYS =
            new GrantedPrefix("idoit:", List.of(new GrantedType("resize", "thumbs", null, null, null)));

    private static TaskSpecBuilder spec() {
        return TaskSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("mixed"))
                .wire(Wire.Idoit)
                .nodes(List.of(
                        TaskNode.ofChain("all", "a", "b"),
                        TaskNodeBuilder.builder(TaskNode.ofHandler("a", "fetch"))
                                .foreignPool("npm pool")
                                .build(),
                        TaskNode.ofHandler("b", "resize")));
    }

    private static WorkerPool pool(String name, GrantedPrefix keys, String... handlers) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace("a").build());
        pool.setSpec(WorkerPoolSpecBuilder.builder()
                .handler(new Handler(List.of("serve")))
                .grantedPrefix(keys)
                .build());
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .readyReplicas(1)
                .handlers(List.of(handlers))
                .build());
        return pool;
    }

    private static TaskView view(
            TaskSpecBuilder spec,
            TaskStatus before,
            ObservedStore<ObservedTree> store,
            GrantedPrefixes prefixes,
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
                .schedule(Optional.empty())
                .pools(TaskView.pools(
                        task.getSpec(),
                        Optional.empty(),
                        name -> Stream.of(pools)
                                .filter(pool -> pool.getMetadata().getName().equals(name))
                                .findFirst()))
                .layout(TaskView.layout(task.getSpec(), before, "a", prefixes))
                .prefixes(prefixes)
                .adjusted(true)
                .now(NOW)
                .build();
    }

    private static TaskView absent(
            TaskSpecBuilder spec, TaskStatus before, GrantedPrefixes prefixes, WorkerPool... pools) {
        return view(spec, before, new ObservedStore.Answered<>(Optional.empty()), prefixes, pools);
    }

    private static ObservedTree tree(boolean suspended, NodeState... nodes) {
        return new ObservedTree(
                TreeReportBuilder.builder()
                        .state(new TreeState(
                                TreeState.State.IDLE,
                                0,
                                2,
                                new TreeState.Counts(1, 1, 1, 0, 0, 0, 0),
                                false,
                                Optional.empty()))
                        .suspended(suspended)
                        .startedAt(Optional.of(NOW))
                        .storeTime(NOW)
                        .nodes(List.of(nodes))
                        .queued(List.of())
                        .build(),
                Optional.empty());
    }

    private static NodeState startable(String name) {
        return new NodeState(UID + ".1", name, TreeState.State.STARTABLE, 0, 1, 0, "");
    }

    private static TaskView going(
            TaskSpecBuilder spec, ObservedTree tree, GrantedPrefixes prefixes, WorkerPool... pools) {
        return view(spec, ACCEPTED, new ObservedStore.Answered<>(Optional.of(tree)), prefixes, pools);
    }

    private static void holds(TaskView view, Reason reason, String... words) {
        assertThat(TaskPlanner.plan(view)).isInstanceOfSatisfying(TreePlan.Hold.class, hold -> {
            assertThat(hold.reason()).isEqualTo(reason);
            assertThat(hold.message()).contains(words).endsWith(".");
        });
        Condition finished = Conditions.find(
                        TaskStatusCalculator.of(view, TaskPlanner.plan(view)).conditions(), ConditionType.Finished)
                .orElseThrow();
        assertThat(finished.getStatus()).isEqualTo("False");
        assertThat(finished.getReason()).isEqualTo(reason.name());
    }

    private static Condition finished(TaskView view) {
        return Conditions.find(
                        TaskStatusCalculator.of(view, TaskPlanner.plan(view)).conditions(), ConditionType.Finished)
                .orElseThrow();
    }

    @Test
    void aTreeIsCreatedUnderThePrefixThatItsPoolWorksUnder() {
        TaskView view = absent(spec(), NEW, GRANTED, pool("mixed", KEYS));
        assertThat(view.layout()).isEqualTo(new TreeLayout.Foreign("idoit:", "mixed", Optional.empty()));
        assertThat(TaskPlanner.plan(view)).isInstanceOf(TreePlan.Create.class);
        assertThat(TaskStatusCalculator.intent(view, 0).grantedPrefix()).isEqualTo("idoit:");
        assertThat(TaskStatusCalculator.of(
                                going(spec(), tree(false), GRANTED, pool("mixed", KEYS)),
                                new TreePlan.Steer(List.of(), false, Optional.empty()))
                        .grantedPrefix())
                .isEqualTo("idoit:");
    }

    @Test
    void nodesOfOtherProgramsHaveTheirPoolOnTheWire() {
        var graph = (TaskGraph.Valid) TaskGraph.of(spec().build());
        var root = SpecTree.of(UID, spec().build(), graph, Duration.ZERO).root();
        assertThat(root.children())
                .extracting(it -> ((TreeNode.Leaf) it).pool())
                .containsExactly("npm pool", "mixed");
    }

    @Test
    void waitsForAPoolWithAPrefix() {
        holds(absent(spec(), NEW, GRANTED), TreeReason.WorkerPoolNotFound, "spec.workerPoolRef.name");
        holds(
                absent(spec(), NEW, GRANTED, pool("mixed", null)),
                TaskReason.PrefixNotGranted,
                "spec.workerPoolRef.name: WorkerPool mixed has no spec.grantedPrefix");
        holds(
                absent(spec(), NEW, NONE, pool("mixed", null)),
                TaskReason.PrefixNotGranted,
                "WorkerPool mixed has no spec.grantedPrefix");
        holds(
                absent(spec(), NEW, OTHER, pool("mixed", KEYS)),
                TaskReason.PrefixNotGranted,
                "spec.workerPoolRef.name: WorkerPool mixed: spec.grantedPrefix.prefix: \"idoit:\" is not granted to"
                        + " namespace a, which has \"other:\"",
                "operator.grantedPrefixes.a");
        holds(
                absent(spec(), NEW, new GrantedPrefixes(GRANTED.byNamespace(), true), pool("mixed", KEYS)),
                TaskReason.PrefixNotGranted,
                "Redis Cluster");
        assertThat(TaskPlanner.plan(absent(spec().cancel(true), NEW, NONE, pool("mixed", null))))
                .isEqualTo(TreePlanner.CANCELLED_BEFORE);
    }

    @Test
    void everyPoolOfItsNodesWorksUnderThePrefix() {
        TaskSpecBuilder two = spec().nodes(List.of(
                TaskNode.ofChain("all", "a", "b"),
                TaskNode.ofHandler("a", "fetch"),
                TaskNodeBuilder.builder(TaskNode.ofHandler("b", "resize"))
                        .workerPoolRef(new WorkerPoolRef("large"))
                        .build()));
        holds(
                absent(two, NEW, GRANTED, pool("mixed", KEYS), pool("large", null)),
                TaskReason.PrefixNotGranted,
                "node b, workerPoolRef.name: WorkerPool large has no spec.grantedPrefix");
        assertThat(TaskPlanner.plan(absent(two, NEW, GRANTED, pool("mixed", KEYS), pool("large", KEYS))))
                .isInstanceOf(TreePlan.Create.class);
    }

    @Test
    void aGraphThatTheWireCannotHoldEndsItWithTheNodesName() {
        TaskSpecBuilder asks = spec().nodes(List.of(
                TaskNode.ofChain("all", "a", "b"),
                TaskNode.ofHandler("a", "fetch"),
                TaskNode.ofHandler("b", "resize", TextNode.valueOf("$(results.a)"))));
        for (GrantedPrefixes prefixes : List.of(GRANTED, NONE)) {
            assertThat(TaskPlanner.plan(absent(asks, NEW, prefixes, pool("mixed", KEYS))))
                    .isInstanceOfSatisfying(TreePlan.Conclude.class, end -> {
                        assertThat(end.reason()).isEqualTo(TaskReason.GraphInvalid);
                        assertThat(end.message()).startsWith("node b: ").contains("wire: Idoit");
                    });
        }
    }

    @Test
    void aScheduleOfAnOlderObjectIsNotRun() {
        TaskSpecBuilder scheduled = spec().schedule(TaskSchedule.ofCron("@daily"));
        holds(absent(scheduled, NEW, GRANTED, pool("mixed", KEYS)), TaskReason.NotSupported, "spec.schedule");
        assertThat(TaskPlanner.plan(absent(scheduled.cancel(true), NEW, GRANTED, pool("mixed", KEYS))))
                .isEqualTo(TreePlanner.CANCELLED_BEFORE);
    }

    @Test
    void isCancelledAndNeverSuspended() {
        assertThat(TaskPlanner.plan(going(spec().cancel(true), tree(false), GRANTED, pool("mixed", KEYS))))
                .isEqualTo(new TreePlan.Steer(List.of(Trees.Change.CANCEL), false, Optional.empty()));
        assertThat(TaskPlanner.plan(going(spec().suspend(true), tree(false), GRANTED, pool("mixed", KEYS))))
                .isEqualTo(new TreePlan.Steer(List.of(), false, Optional.empty()));
    }

    @Test
    void keepsItsPrefixAndWaitsWhileThatIsNotGranted() {
        for (GrantedPrefixes prefixes : List.of(OTHER, NONE)) {
            TaskView view = absent(spec(), ACCEPTED, prefixes, pool("mixed", null));
            assertThat(view.layout()).isInstanceOf(TreeLayout.Withheld.class);
            holds(view, TaskReason.PrefixNotGranted, "mixed has no spec.grantedPrefix");
            holds(
                    absent(spec(), ACCEPTED, prefixes),
                    TaskReason.PrefixNotGranted,
                    "prefix \"idoit:\", which namespace a is not granted any more",
                    "operator.grantedPrefixes.a");
            TaskStatus status = TaskStatusCalculator.of(view, TaskPlanner.plan(view));
            assertThat(status.progress()).isEqualTo("0/2");
            assertThat(status.grantedPrefix()).isEqualTo("idoit:");
        }
        assertThat(TaskPlanner.plan(absent(spec(), ACCEPTED, GRANTED, pool("mixed", KEYS))))
                .as("where it may look, it is lost")
                .isEqualTo(TreePlanner.LOST);
    }

    @Test
    void waitsWhileItsPoolSharesKeysWithProgramsOfAnotherWire() {
        WorkerPool other = pool("mixed", new GrantedPrefix("idoit:", List.of(), PrefixWire.Queue));
        holds(absent(spec(), NEW, GRANTED, other), TaskReason.PrefixNotGranted, "programs of another wire");
    }

    @Test
    void isNotRunAgainOnceOthersMayHaveForgottenThatItEnded() {
        for (int days : List.of(2, 4)) {
            TaskStatus before = TaskStatusBuilder.builder(ACCEPTED)
                    .startTime(NOW.minus(Duration.ofDays(days)).toString())
                    .build();
            TreePlan plan = TaskPlanner.plan(
                    absent(spec().storeLossPolicy(StoreLossPolicy.Resubmit), before, GRANTED, pool("mixed", KEYS)));
            assertThat(plan).isInstanceOf(days < 3 ? TreePlan.Create.class : TreePlan.Conclude.class);
        }
    }

    @Test
    void waitsForRedisAsAnyTask() {
        ObservedStore<ObservedTree> away = new ObservedStore.Away<>(StoreReason.Unreachable, "no route.");
        holds(view(spec(), NEW, away, GRANTED, pool("mixed", KEYS)), TreeReason.Accepting, "no route.");
        assertThat(Conditions.find(
                                TaskStatusCalculator.of(
                                                view(spec(), NEW, away, NONE, pool("mixed", KEYS)),
                                                new TreePlan.Hold(TaskReason.PrefixNotGranted, "no."))
                                        .conditions(),
                                ConditionType.StoreReachable)
                        .orElseThrow()
                        .getStatus())
                .isEqualTo("False");
    }

    @Test
    void saysThatAPoolLostItsPrefixMeanwhile() {
        Condition finished =
                finished(going(spec(), tree(false, startable("b")), GRANTED, pool("mixed", null, "thumbs")));
        assertThat(finished.getReason()).isEqualTo(TaskReason.PrefixNotGranted.name());
        assertThat(finished.getMessage()).contains("mixed has no spec.grantedPrefix");
    }

    @Test
    void handlersOfOtherProgramsAreNotKnown() {
        TaskView foreign = going(
                spec().nodes(List.of(TaskNodeBuilder.builder(TaskNode.ofHandler("a", "fetch"))
                        .foreignPool("npm")
                        .build())),
                tree(false, startable("a")),
                GRANTED,
                pool("mixed", KEYS, "thumbs"));
        assertThat(TaskHandlers.of(foreign)).isEmpty();
        assertThat(finished(foreign).getReason()).isEqualTo(TreeReason.Running.name());
    }

    @Test
    void aTypeIsServedByTheHandlerThatThePoolNamesForIt() {
        assertThat(TaskHandlers.of(going(spec(), tree(false), GRANTED, pool("mixed", KEYS, "thumbs")))
                        .orElseThrow()
                        .reason())
                .isEqualTo(HandlerReason.HandlerServed);
        TaskView unserved = going(spec(), tree(false, startable("b")), GRANTED, pool("mixed", KEYS, "resize"));
        assertThat(TaskHandlers.of(unserved).orElseThrow().message()).contains("\"thumbs\"");
        assertThat(finished(unserved).getReason()).isEqualTo(TreeReason.WaitingForWorkers.name());
        TaskView elsewhere = going(spec(), tree(false, startable("a")), GRANTED, pool("mixed", KEYS, "resize"));
        assertThat(finished(elsewhere).getReason())
                .as("what waits, waits for another program")
                .isEqualTo(TreeReason.Running.name());
    }

    @Test
    void aTreeThatNobodyHasBegunWaitsForItsPool() {
        ObservedTree fresh = notBegun();
        WorkerPool empty = pool("mixed", KEYS);
        empty.setStatus(WorkerPoolStatusBuilder.builder().readyReplicas(0).build());
        Condition finished = finished(going(spec(), fresh, GRANTED, empty));
        assertThat(finished.getReason()).isEqualTo(TreeReason.WaitingForWorkers.name());
        assertThat(finished.getMessage()).startsWith("Nodes wait and no worker is ready.");
        assertThat(finished(going(spec().postponeSeconds(60), fresh, GRANTED, empty))
                        .getReason())
                .isEqualTo(TreeReason.Postponed.name());
    }

    private static ObservedTree notBegun() {
        return new ObservedTree(
                TreeReportBuilder.builder()
                        .state(new TreeState(
                                TreeState.State.WAITING,
                                0,
                                2,
                                new TreeState.Counts(3, 0, 0, 0, 0, 0, 0),
                                false,
                                Optional.empty()))
                        .storeTime(NOW)
                        .nodes(List.of(new NodeState(UID, "all", TreeState.State.WAITING, 0, 2, 0, "")))
                        .queued(List.of())
                        .build(),
                Optional.empty());
    }

    @Test
    void idsThatOtherProgramsGaveAreNoRootsAndNoOrdinals() {
        assertThat(TreeId.isRoot(UID)).isTrue();
        assertThat(TreeId.isRoot(UID + "-r2")).isTrue();
        for (String child : List.of(UID + ".3", "w/+K3zG", "chunk.a.b", "1.x", "Ab12")) {
            assertThat(TreeId.isRoot(child)).as(child).isFalse();
        }
        assertThat(TreeId.ordinal(UID)).isZero();
        assertThat(TreeId.ordinal(UID + ".31")).isEqualTo(31);
        assertThat(TreeId.ordinal("chunk.a.b")).isZero();
        assertThat(TreeId.ordinal("a.99999999999999999999")).isZero();
    }

    @Test
    void aTreeThatReportsNothingIsLookedAtAgain() {
        TaskView going = going(spec(), tree(false), GRANTED, pool("mixed", KEYS));
        TreeActions.Applied steered = new TreeActions.Applied(TaskPlanner.plan(going), false, false, true);
        assertThat(TreePace.next(going, steered, Optional.empty(), true, TaskPace.of(going)))
                .isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void nobodyLooksWhereItMayNot() {
        TaskContext context = new TaskContext(null, null, null, null, null, null, NONE);
        assertThatThrownBy(() -> context.trees(Keyspace.ofNamespace("a"), new TreeLayout.Withheld("not here.")))
                .isInstanceOf(IllegalStateException.class);
    }
}
