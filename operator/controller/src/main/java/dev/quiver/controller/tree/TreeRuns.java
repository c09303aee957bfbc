package dev.quiver.controller.tree;

import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.controller.run.ReconciledKind;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/**
 * The runs of one kind whose state is a tree. Which kind a tree is of only the resource shows: a mark of a tree that this
 * kind does not follow is another's.
 *
 * @param type the kind
 * @param trees of a keyspace, under the leader's present term
 * @param writable whether the status of a uid may be written now
 */
public record TreeRuns(
        Class<? extends CustomResource<?, ?>> type, Function<Keyspace, TaskTrees> trees, Predicate<String> writable)
        implements ReconciledKind {

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
}
