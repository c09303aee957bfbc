package dev.quiver.controller.taskset;

import java.util.List;

import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.taskset.StatusChange;

/** The next act that a run needs. */
sealed interface TaskSetPlan {

    /** Read the source, open the run in Redis and feed it; continues an interrupted intake. */
    record Accept(boolean resubmitted) implements TaskSetPlan {}

    /** Apply the spec to Redis; may be nothing. */
    record Steer(List<StatusChange> endings, boolean adjust) implements TaskSetPlan {}

    /** End the run without Redis: it never began there, or it is lost. */
    record Conclude(TaskSetReason reason, String message) implements TaskSetPlan {}

    /** Wait: for a person, or for Redis. */
    record Hold(TaskSetReason reason, String message) implements TaskSetPlan {}

    /** The run is finished, and the status shows it: release its workers. */
    record Retire(boolean stillGoing) implements TaskSetPlan {}
}
