package dev.quiver.controller.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.PoolMessages;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Trees.Change;

/**
 * Decides the next act of a run that is a tree in Redis. Pure: a half-done act is decided again from the facts.
 *
 * @param <V> the facts of a kind
 * @param kind that the runs are of
 */
public record TreePlanner<V extends TreeView>(Kind<V> kind) {

    /** The end of a run that was cancelled before Redis had it. */
    public static final TreePlan CANCELLED_BEFORE =
            new TreePlan.Conclude(TreeReason.Cancelled, "spec.cancel was set before anything was started.");

    /** The end of a run that Redis has no more. */
    public static final TreePlan LOST = new TreePlan.Conclude(
            TreeReason.StoreLost,
            "Redis has lost the state of the run; spec.storeLossPolicy is Fail. The numbers are the last known.");

    /** The differences between kinds. */
    public interface Kind<V extends TreeView> {

        /** The work of the spec as a tree. */
        Work work(V view);

        /** The same nodes, for their ranks alone; absent for a spec that has no tree. */
        default Optional<TreePlan.Maker> shape(V view) {
            return work(view) instanceof Work.Fits(TreePlan.Maker tree) ? Optional.of(tree) : Optional.empty();
        }

        /** The field that names a pool, as it stands before a colon. */
        String place(V view, String pool);

        /** The reason of a spec that can never be run. */
        Reason invalid();

        /** Another reason why pools that are there do not take it. */
        default Optional<TreePlan> refused(V view) {
            return Optional.empty();
        }
    }

    /** The work of a spec. */
    public sealed interface Work {

        /** It can be a tree. */
        record Fits(TreePlan.Maker tree) implements Work {}

        /** It cannot, now or ever. */
        record Refused(TreePlan plan) implements Work {}
    }

    /** The next act of a run that is not finished. */
    public TreePlan plan(V view) {
        return view.recurring() ? new SchedulePlanner<>(this).plan(view) : once(view);
    }

    /** The act of a finished run. */
    public TreePlan retire(V view) {
        return new TreePlan.Retire(
                view.recurring()
                        ? SchedulePlanner.goesOn(view)
                        : view.tree().filter(tree -> !tree.rootOver()).isPresent());
    }

    private TreePlan once(V view) {
        if (view.store() instanceof ObservedStore.Away<?>(var reason, var message)) {
            return view.accepted()
                    ? away(TreeReason.Running, reason, message)
                    : switch (kind.work(view)) {
                        case Work.Refused(TreePlan.Conclude never) -> never;
                        default -> away(TreeReason.Accepting, reason, message);
                    };
        }
        return view.tree().map(there -> steer(view, there)).orElseGet(() -> absent(view));
    }

    /** The plan of a run that Redis does not have. */
    public TreePlan absent(V view) {
        if (view.accepted() && view.spec().storeLossPolicy() == StoreLossPolicy.Fail) {
            return LOST;
        }
        if (view.spec().cancel()) {
            return CANCELLED_BEFORE;
        }
        return switch (kind.work(view)) {
            case Work.Refused(TreePlan plan) -> plan;
            case Work.Fits(TreePlan.Maker tree) ->
                blocked(view).orElseGet(() -> new TreePlan.Create(tree, view.accepted()));
        };
    }

    static TreePlan away(Reason state, StoreReason reason, String message) {
        return new TreePlan.Hold(state, "Waiting for Redis (" + reason.name() + "): " + message);
    }

    /** The reason why a tree that could run is not created yet, or never. */
    private Optional<TreePlan> blocked(V view) {
        return unplaced(view)
                .or(() -> Optional.<TreePlan>of(
                                new TreePlan.Hold(TreeReason.Suspended, TreeReason.Suspended.sentence()))
                        .filter(_ -> view.spec().suspend()));
    }

    /** The reason why the pools do not take it. */
    Optional<TreePlan> unplaced(V view) {
        List<String> missing = view.missingPools();
        if (!missing.isEmpty()) {
            return Optional.of(new TreePlan.Hold(
                    TreeReason.WorkerPoolNotFound,
                    kind.place(view, missing.getFirst()) + ": there is no WorkerPool " + missing.getFirst()
                            + " in this namespace."));
        }
        return view.servingPools().stream()
                .filter(pool -> !Keyspaces.of(pool).equals(first(view)))
                .findFirst()
                .<TreePlan>map(pool -> new TreePlan.Conclude(kind.invalid(), elsewhere(view, pool)))
                .or(() -> kind.refused(view));
    }

    private static Keyspace first(TreeView view) {
        return view.pools().values().stream()
                .findFirst()
                .flatMap(ObservedPool::serving)
                .map(Keyspaces::of)
                .orElse(view.keyspace());
    }

    private String elsewhere(V view, WorkerPool pool) {
        String name = pool.getMetadata().getName();
        return kind.place(view, name) + ": WorkerPool " + name + " has " + PoolMessages.describe(Keyspaces.of(pool))
                + ", and that of spec.workerPoolRef, "
                + view.spec().workerPoolRef().name() + ", has "
                + PoolMessages.describe(first(view)) + ": all work of a "
                + HasMetadata.getKind(view.run().getClass())
                + " runs in one keyspace.";
    }

    private TreePlan steer(V view, ObservedTree tree) {
        if (tree.over()) {
            return new TreePlan.Steer(List.of(), false, Optional.empty());
        }
        List<Change> changes = new ArrayList<>();
        if (view.spec().cancel() && !tree.rootOver()) {
            changes.add(Change.CANCEL);
        }
        // A cancelled tree still has its node at the end to run.
        if (view.suspends() != tree.report().suspended()) {
            changes.add(view.suspends() ? Change.SUSPEND : Change.RESUME);
        }
        boolean adjust = !view.adjusted() && !tree.rootOver();
        // Its node at the end may still wait when the root is over.
        return new TreePlan.Steer(changes, adjust, view.adjusted() ? Optional.empty() : ranks(view));
    }

    /** A spec of its first generation has the ranks that its tree was created with, but for aliases that came later. */
    private Optional<TreePlan.Maker> ranks(V view) {
        boolean changed = Optional.ofNullable(view.run().getMetadata().getGeneration())
                .filter(generation -> generation > 1)
                .isPresent();
        return (changed || view.blockage().waiting() > 0) && view.layout() instanceof TreeLayout.Own
                ? kind.shape(view)
                : Optional.empty();
    }
}
