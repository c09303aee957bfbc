package dev.quiver.controller.tree;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.Trees;

/** The next act that a run needs. */
public sealed interface TreePlan {

    /** Why the run, or the next run of a schedule, waits. */
    default Optional<Hold> hold() {
        return switch (this) {
            case Hold hold -> Optional.of(hold);
            case Recur recur -> recur.withheld();
            default -> Optional.empty();
        };
    }

    /** Makes the tree of a run. */
    @FunctionalInterface
    interface Maker {
        /**
         * The tree.
         *
         * @param id of the tree, or of the schedule whose runs are such trees
         * @param delay until it begins
         * @throws IllegalArgumentException for fields that are within their bounds, but not all of them together
         */
        TaskTree of(String id, Duration delay);
    }

    /**
     * Create the tree in Redis; repeats an interrupted creation.
     *
     * @param resubmitted whether Redis has lost an earlier one
     */
    record Create(Maker tree, boolean resubmitted) implements TreePlan {}

    /**
     * Apply the spec to the tree; may be nothing.
     *
     * @param limit whether Redis is to have the present deadline
     * @param ranks the tree whose ranks Redis is to have, where the spec may have other ones than at its creation
     */
    record Steer(List<Trees.Change> changes, boolean limit, Optional<Maker> ranks) implements TreePlan {}

    /**
     * Put a schedule into Redis and steer its runs; may be nothing.
     *
     * @param put the tree of its runs, where Redis is to have the present spec
     * @param resubmitted whether Redis has lost an earlier state
     * @param stop whether no run is to begin any more
     * @param tidy whether more runs are there than are to be kept
     * @param withheld the reason why Redis keeps an earlier work or schedule than that of the spec
     */
    record Recur(
            Optional<Maker> put,
            boolean resubmitted,
            boolean stop,
            boolean tidy,
            List<RunChange> changes,
            Optional<Hold> withheld)
            implements TreePlan {

        /** The same without what Redis is not to have. */
        Recur without(Hold reason) {
            return new Recur(Optional.empty(), false, stop, tidy, changes, Optional.of(reason));
        }
    }

    /** A change of one run. */
    record RunChange(String tree, Trees.Change change) {}

    /** End the run without Redis: its tree never began there, or it is lost. */
    record Conclude(Reason reason, String message) implements TreePlan {}

    /** Wait: for a person, or for Redis. */
    record Hold(Reason reason, String message) implements TreePlan {}

    /** The run is finished, and the status shows it. */
    record Retire(boolean stillGoing) implements TreePlan {}
}
