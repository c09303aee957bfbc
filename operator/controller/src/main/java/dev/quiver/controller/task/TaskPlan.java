package dev.quiver.controller.task;

import java.util.List;
import java.util.Optional;

import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.lifecycle.task.Trees;

/** The next act that a Task needs. */
sealed interface TaskPlan {

    /**
     * Create the tree in Redis; repeats an interrupted creation.
     *
     * @param resubmitted whether Redis has lost an earlier one
     */
    record Create(TaskGraph.Valid graph, boolean resubmitted) implements TaskPlan {}

    /**
     * Apply the spec to the tree; may be nothing.
     *
     * @param limit whether Redis is to have the present deadline
     */
    record Steer(List<Trees.Change> changes, boolean limit) implements TaskPlan {}

    /**
     * Put a schedule into Redis and steer its runs; may be nothing.
     *
     * @param put the graph of its runs, where Redis is to have the present spec
     * @param resubmitted whether Redis has lost an earlier state
     * @param stop whether no run is to begin any more
     * @param tidy whether more runs are there than are to be kept
     * @param withheld the reason why Redis keeps an earlier work or schedule than that of the spec
     */
    record Recur(
            Optional<TaskGraph.Valid> put,
            boolean resubmitted,
            boolean stop,
            boolean tidy,
            List<RunChange> changes,
            Optional<Hold> withheld)
            implements TaskPlan {

        /** The same without what Redis is not to have. */
        Recur without(Hold reason) {
            return new Recur(Optional.empty(), false, stop, tidy, changes, Optional.of(reason));
        }
    }

    /** A change of one run. */
    record RunChange(String tree, Trees.Change change) {}

    /** End the Task without Redis: its tree never began there, or it is lost. */
    record Conclude(TaskReason reason, String message) implements TaskPlan {}

    /** Wait: for a person, or for Redis. */
    record Hold(TaskReason reason, String message) implements TaskPlan {}

    /** The Task is finished, and the status shows it. */
    record Retire(boolean stillGoing) implements TaskPlan {}
}
