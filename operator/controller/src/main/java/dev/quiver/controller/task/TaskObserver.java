package dev.quiver.controller.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.RunMemory;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeBlockage;
import dev.quiver.controller.tree.TreeHome;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreeReader;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.Trees;

/** Collects the facts about a Task: from the informers, from the memory, and from Redis. Thread-safe. */
record TaskObserver(TaskContext context, TreeHome<TaskStatus, Task> home) {

    /** The facts now. A Task that is not finished is followed from here on. */
    TaskView observe(Task task, RunMemory.Spec present) {
        Instant now = context.shared().clock().instant();
        TaskStatus before = home.current(task);
        Keyspace keyspace = home.keyspace(task, before);
        boolean finished = Conditions.isTrue(before.conditions(), ConditionType.Finished);
        TreeLayout layout = layout(task, before);
        if (!finished) {
            home.memory().follow(task, keyspace);
        }
        var look = context.reader()
                .look(
                        task,
                        task.getSpec(),
                        before,
                        keyspace,
                        layout,
                        tree -> find(task, keyspace, layout, tree, finished));
        home.seen(task, before, layout, look.tree().snapshot());
        Blockage blockage = blockage(task, keyspace, layout, look.tree().snapshot());
        Map<String, ObservedPool> pools = TaskView.pools(
                task.getSpec(), look.tree().snapshot(), name -> home.pools().pool(task, name));
        return TaskViewBuilder.builder()
                .task(task)
                .before(before)
                .keyspace(keyspace)
                .store(look.tree())
                .schedule(look.schedule())
                .pools(pools)
                .layout(layout)
                .prefixes(context.prefixes())
                .blockage(blockage)
                .adjusted(
                        home.memory().hasWritten(task, present) && !TreeBlockage.hasNewAlias(blockage, pools.values()))
                .now(now)
                .backlog(
                        layout instanceof TreeLayout.Own
                                ? context.shared().backlogs().of(keyspace)
                                : Optional.empty())
                .left(left(task, before, keyspace, look.tree().snapshot()))
                .build();
    }

    /** A Task that can be undone has the own layout. */
    private Optional<LeftUndo> left(Task task, TaskStatus before, Keyspace keyspace, Optional<ObservedTree> tree) {
        return tree.filter(_ -> task.getSpec().undo())
                .flatMap(_ -> context.shared()
                        .calls()
                        .ask(
                                () -> Optional.of(
                                        context.trees().apply(keyspace).left(TreeId.of(task, before))),
                                _ -> Optional.empty()));
    }

    private Blockage blockage(Task task, Keyspace keyspace, TreeLayout layout, Optional<ObservedTree> tree) {
        TaskSpec spec = task.getSpec();
        return TaskView.mayNameResources(spec)
                ? TreeBlockage.of(
                        context.shared().calls(),
                        context.trees(keyspace, layout),
                        layout,
                        tree,
                        root -> TaskGraph.of(spec) instanceof TaskGraph.Valid graph
                                ? Optional.of(SpecTree.of(root, spec, graph, Duration.ZERO))
                                : Optional.empty())
                : Blockage.NONE;
    }

    /** The runs of a schedule have the own layout always. */
    private Optional<ObservedTree> find(
            Task task, Keyspace keyspace, TreeLayout layout, String tree, boolean finished) {
        Trees trees = context.trees(keyspace, task.getSpec().recurring().isPresent() ? new TreeLayout.Own() : layout);
        return trees.report(tree, finished ? 0 : TaskStatus.MAX_TREE)
                .map(report -> TreeReader.with(trees, tree, report, finished, TaskStatus.MAX_RESULT_BYTES));
    }

    /** The layout of its tree. */
    TreeLayout layout(Task task, TaskStatus status) {
        return TaskView.layout(task.getSpec(), status, task.getMetadata().getNamespace(), context.prefixes());
    }
}
