package dev.quiver.controller.task;

import java.time.Instant;
import java.util.Optional;

import dev.quiver.controller.run.PoolWatch;
import dev.quiver.controller.run.RunKeyspace;
import dev.quiver.controller.run.RunMemory;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreeReader;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Trees;

/** Collects the facts about a Task: from the informers, from the memory, and from Redis. Thread-safe. */
record TaskObserver(TaskContext context, PoolWatch<Task> pools, RunMemory<TaskStatus, Task> memory) {

    /** The facts now. A Task that is not finished is followed from here on. */
    TaskView observe(Task task, RunMemory.Spec present) {
        Instant now = context.shared().clock().instant();
        TaskStatus before = current(task);
        Keyspace keyspace = keyspace(task, before);
        boolean finished = Conditions.isTrue(before.conditions(), ConditionType.Finished);
        TreeLayout layout = layout(task, before);
        if (!finished) {
            memory.follow(task, keyspace);
        }
        var look = context.reader()
                .look(
                        task,
                        task.getSpec(),
                        before,
                        keyspace,
                        layout,
                        tree -> find(task, keyspace, layout, tree, finished));
        return TaskViewBuilder.builder()
                .task(task)
                .before(before)
                .keyspace(keyspace)
                .store(look.tree())
                .schedule(look.schedule())
                .pools(TaskView.pools(task.getSpec(), look.tree().snapshot(), name -> pools.pool(task, name)))
                .layout(layout)
                .prefixes(context.prefixes())
                .adjusted(memory.hasWritten(task, present))
                .now(now)
                .backlog(
                        layout instanceof TreeLayout.Own
                                ? context.shared().backlogs().of(keyspace)
                                : Optional.empty())
                .build();
    }

    /** The runs of a schedule have the own layout always. */
    private Optional<ObservedTree> find(
            Task task, Keyspace keyspace, TreeLayout layout, String tree, boolean finished) {
        Trees trees = context.trees(keyspace, task.getSpec().recurring().isPresent() ? new TreeLayout.Own() : layout);
        return trees.report(tree, finished ? 0 : TaskStatus.MAX_TREE)
                .map(report -> TreeReader.with(trees, tree, report, finished, TaskStatus.MAX_RESULT_BYTES));
    }

    /** The status that readers of the API have; empty components for none. */
    TaskStatus current(Task task) {
        return context.reporter()
                .current(task)
                .orElseGet(() -> TaskStatusBuilder.builder().build());
    }

    /** Where the Task is, or would be accepted. */
    Keyspace keyspace(Task task, TaskStatus status) {
        return RunKeyspace.of(
                task.getMetadata().getNamespace(),
                Optional.ofNullable(status.keyspace()),
                status.workHash() != null,
                pools.pool(task, task.getSpec().workerPoolRef().name()),
                memory.keyspace(task));
    }

    /** The layout of its tree. */
    TreeLayout layout(Task task, TaskStatus status) {
        return TaskView.layout(task.getSpec(), status, task.getMetadata().getNamespace(), context.prefixes());
    }
}
