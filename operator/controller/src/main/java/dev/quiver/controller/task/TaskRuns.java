package dev.quiver.controller.task;

import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.controller.run.RunKind;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.TaskSchedules;
import dev.quiver.lifecycle.task.TaskTrees;
import dev.quiver.lifecycle.task.Trees;

/**
 * Tasks as a kind of run. Trees whose id has no uid belong to nobody in Kubernetes; they are not listed here.
 *
 * @param trees of a keyspace, under the leader's present term
 * @param schedules the same of schedules
 * @param writable whether the status of a uid may be written now
 */
public record TaskRuns(
        Function<Keyspace, TaskTrees> trees, Function<Keyspace, TaskSchedules> schedules, Predicate<String> writable)
        implements RunKind {

    /** A call forgets many thousand nodes. */
    private static final int DROP_CALLS = 16;

    @Override
    public Class<? extends CustomResource<?, ?>> type() {
        return Task.class;
    }

    @Override
    public boolean due(String uid) {
        return writable.test(uid);
    }

    @Override
    public String owner(String tree) {
        return TreeId.owner(tree).orElse(tree);
    }

    @Override
    public Set<String> ended(Keyspace keyspace, Set<String> marks) {
        return trees.apply(keyspace)
                .ended(marks.stream().filter(mark -> !TreeId.isOfChunks(mark)).collect(Collectors.toSet()));
    }

    @Override
    public Set<String> present(Keyspace keyspace) {
        return Stream.concat(
                        trees.apply(keyspace).present(TreeId.FORM).stream(),
                        schedules.apply(keyspace).present(TreeId.FORM).stream())
                .map(TreeId::owner)
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
    }

    @Override
    public void drop(Keyspace keyspace, String uid) {
        drop(schedules.apply(keyspace), uid);
        TaskTrees all = trees.apply(keyspace);
        all.present(uid + "*").forEach(tree -> drop(all, tree));
    }

    /** Drops a schedule with its runs; false when another call is needed. */
    static boolean drop(TaskSchedules schedules, String uid) {
        for (int i = 0; i < DROP_CALLS; i++) {
            if (schedules.drop(uid, TaskNode.MAX_NODES)) {
                return true;
            }
        }
        return false;
    }

    /** Drops a tree of a Task, however much of it was created; false when another call is needed. */
    static boolean drop(Trees trees, String tree) {
        for (int i = 0; i < DROP_CALLS; i++) {
            if (trees.drop(tree, TaskNode.MAX_NODES)) {
                return true;
            }
        }
        return false;
    }
}
