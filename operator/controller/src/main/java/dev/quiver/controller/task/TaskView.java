package dev.quiver.controller.task;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import dev.quiver.controller.reconcile.Built;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.RecordBacklog;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreeView;
import dev.quiver.controller.tree.WorkHash;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.Wire;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/**
 * The facts about a Task at the start of a reconcile.
 *
 * @param before the status last written; empty components when there was none
 * @param keyspace of its tree
 * @param store the tree; of a schedule that of its latest run
 * @param schedule in Redis, where the spec has one and Redis answered
 * @param pools those that the spec names, that of spec.workerPoolRef first, then others in which work of the tree waits
 * @param layout of its tree
 * @param prefixes those that namespaces were granted
 * @param adjusted whether Redis has the limits of this generation from this leader
 * @param now by the operator's clock, for transition times; Redis' clock ends a tree
 * @param blockage the resources that its queued nodes wait for
 * @param backlog of history in its keyspace; absent while it is not known
 * @param left what would undo it, where its spec asks for that and Redis answered
 */
@Built
record TaskView(
        Task task,
        TaskStatus before,
        Keyspace keyspace,
        ObservedStore<ObservedTree> store,
        Optional<ScheduleReport> schedule,
        Map<String, ObservedPool> pools,
        TreeLayout layout,
        GrantedPrefixes prefixes,
        boolean adjusted,
        Instant now,
        Blockage blockage,
        Optional<RecordBacklog> backlog,
        Optional<LeftUndo> left)
        implements TreeView {

    TaskView {
        blockage = blockage == null ? Blockage.NONE : blockage;
        left = left == null ? Optional.empty() : left;
    }

    @Override
    public Task run() {
        return task;
    }

    @Override
    public TaskSpec spec() {
        return task.getSpec();
    }

    @Override
    public boolean accepted() {
        return before.progress() != null || before.schedule() != null;
    }

    @Override
    public String workHash() {
        return WorkHash.of(spec().task(), spec().nodes(), spec().root(), spec().cleanup());
    }

    @Override
    public Optional<ObservedTree> tree() {
        return store.snapshot();
    }

    /** The layout of a Task. Once its status names a prefix, its tree is there or nowhere. */
    static TreeLayout layout(TaskSpec spec, TaskStatus before, String namespace, GrantedPrefixes prefixes) {
        return spec.wire() == Wire.Quiver
                ? new TreeLayout.Own()
                : TreeLayout.foreign(
                        prefixes.place(
                                namespace,
                                Optional.ofNullable(before.grantedPrefix()),
                                "the Task",
                                spec.wire().name()),
                        spec.workerPoolRef().name(),
                        Optional.empty());
    }

    /** Whether any of its nodes names a resource, or has a plan or children that may name one. */
    static boolean mayNameResources(TaskSpec spec) {
        return !spec.resources().isEmpty()
                || spec.allNodes().stream()
                        .anyMatch(node -> !node.resources().isEmpty()
                                || node.secondsOfPlan().isPresent()
                                || node.iterator() != null);
    }

    /** The names of the WorkerPools that run parts of a node, each once; of one with children alone none. */
    static Set<String> poolsOf(TaskSpec spec, TaskNode node) {
        Set<String> names = new LinkedHashSet<>();
        node.runners().forEach(runner -> names.add(poolOf(spec, runner)));
        return names;
    }

    /** The name of the WorkerPool that runs this; of a foreign node that of the spec. */
    static String poolOf(TaskSpec spec, TaskNode.Runner runner) {
        return runner.pool() == null
                ? spec.workerPoolRef().name()
                : runner.pool().name();
    }

    /** The names of all pools that a spec names, that of spec.workerPoolRef first. */
    static Set<String> poolNames(TaskSpec spec) {
        Set<String> names = new LinkedHashSet<>();
        names.add(spec.workerPoolRef().name());
        spec.allNodes().forEach(node -> names.addAll(poolsOf(spec, node)));
        return names;
    }

    /** The pools of a spec and of work that waits, as the informer has them. */
    static Map<String, ObservedPool> pools(
            TaskSpec spec, Optional<ObservedTree> tree, Function<String, Optional<WorkerPool>> there) {
        Set<String> names = poolNames(spec);
        tree.ifPresent(it -> it.report().queued().forEach(work -> names.add(work.pool())));
        return TreeView.pools(names, there);
    }
}
