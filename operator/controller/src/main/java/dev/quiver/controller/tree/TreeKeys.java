package dev.quiver.controller.tree;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.controller.store.KeyOwners;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/**
 * The trees and schedules of resources, for the sweep. Trees whose id has no uid belong to nobody in Kubernetes; they are
 * not listed here.
 *
 * @param types the kinds whose state is a tree
 * @param trees of a keyspace, under the leader's present term
 * @param schedules the same of schedules
 */
public record TreeKeys(
        List<Class<? extends CustomResource<?, ?>>> types,
        Function<Keyspace, TaskTrees> trees,
        Function<Keyspace, TaskSchedules> schedules)
        implements KeyOwners {

    /** A call forgets many thousand nodes. */
    private static final int DROP_CALLS = 16;

    /** Nodes that a resource can have. */
    private static final int MOST_NODES = TaskNode.MAX_NODES;

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
            if (schedules.drop(uid, MOST_NODES)) {
                return true;
            }
        }
        return false;
    }

    /** Drops a tree, however much of it was created; false when another call is needed. */
    static boolean drop(Trees trees, String tree) {
        for (int i = 0; i < DROP_CALLS; i++) {
            if (trees.drop(tree, MOST_NODES)) {
                return true;
            }
        }
        return false;
    }
}
