package dev.quiver.controller.tree;

import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;

/** Asks Redis which resources the work of a tree waits for. */
public final class TreeBlockage {

    private TreeBlockage() {}

    /**
     * Whether a resource that work waits for, and that no pool declares, has an alias by now. It came before that: its rank
     * is to be written again.
     */
    public static boolean hasNewAlias(Blockage blockage, Collection<ObservedPool> pools) {
        return blockage.missing().stream()
                .filter(missing -> !missing.declared())
                .anyMatch(missing -> pools.stream()
                        .flatMap(pool -> pool.serving().stream())
                        .flatMap(pool -> pool.getSpec().resourceAliases().stream())
                        .anyMatch(alias -> !alias.standFor(missing.name()).isEmpty()));
    }

    /**
     * The resources; none of a tree that is over, has nothing queued, or is in the layout of another program. Such a tree costs
     * no call.
     *
     * @param shape the tree of the spec with this id, where its nodes name resources
     */
    public static Blockage of(
            StoreCalls calls,
            Trees trees,
            TreeLayout layout,
            Optional<ObservedTree> tree,
            Function<String, Optional<TaskTree>> shape) {
        if (tree.isEmpty() || tree.get().over() || !(layout instanceof TreeLayout.Own)) {
            return Blockage.NONE;
        }
        TreeState.Counts counts = tree.get().counts();
        return tree.get().report().nodes().stream()
                .findFirst()
                .filter(_ -> counts.startable() + counts.idle() > 0)
                .map(NodeState::id)
                .flatMap(shape)
                .map(spec -> calls.ask(() -> trees.blockage(spec), _ -> Blockage.NONE))
                .orElse(Blockage.NONE);
    }
}
