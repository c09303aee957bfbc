package dev.quiver.crds.v1alpha1;

import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;

/**
 * The common part of the statuses of a {@link Task} and a {@link MapReduceJob}. Each may be null but the conditions.
 */
public interface TreeStatus {

    /** The generation that it was computed from. */
    Long observedGeneration();

    /** When it was accepted, or last resumed. */
    String startTime();

    /** When it finished. */
    String completionTime();

    /** The state of the schedule so far. */
    TaskScheduleStatus schedule();

    /** The name of the keyspace that holds the state. */
    String keyspace();

    /** The prefix under which the state is, beside other programs; null for none. */
    String grantedPrefix();

    /** The hash of the work that Redis has for the next run. */
    String workHash();

    /** How often it was begun again after a loss. */
    Integer resubmissions();

    /** The conditions; empty for a new status. */
    List<Condition> conditions();
}
