package dev.quiver.crds.v1alpha1;

/** Why a condition of a {@link Task} has its status. */
public enum TaskReason implements Reason {
    // Finished=False, Succeeded=Unknown
    /** The Task was seen and its nodes are being written into Redis. */
    Accepting("The nodes are being written into Redis."),
    /** It waits for {@code spec.notBefore} or {@code spec.postponeSeconds}. */
    Postponed("It is not yet time to start."),
    /** The schedule goes on; also while no run is under way. */
    Scheduled("The schedule goes on."),
    /** Nodes are queued and no worker is ready for them. */
    WaitingForWorkers("Nodes are queued and no worker is ready for them yet."),
    /** Nodes are running or queued. */
    Running("Nodes are running."),
    /** It stands still because of {@code spec.suspend}; also of Suspended=True. */
    Suspended("spec.suspend is true."),
    /** A pool that the spec names does not exist; the message names it. */
    WorkerPoolNotFound("A WorkerPool that the spec names does not exist."),
    /** With {@code wire: Idoit}: a pool has no granted prefix; the message has what is missing. */
    PrefixNotGranted("A WorkerPool that the spec names has no granted prefix."),
    /** The spec asks for what this version of the operator cannot do; the message names the field. */
    NotSupported("This version of the operator cannot do what the spec asks for."),

    // Finished=True with Succeeded=True
    /** The root succeeded. */
    RootSucceeded("The root succeeded."),

    // Finished=True with Succeeded=False
    /** The root failed; the message names the node with the first final error. */
    NodeFailed("A node failed in all its attempts."),
    /** The root succeeded and the node of {@code spec.finally} failed. */
    FinallyFailed("The node of spec.finally failed."),
    /** It took longer than {@code spec.activeDeadlineSeconds}. */
    DeadlineExceeded("It took longer than spec.activeDeadlineSeconds."),
    /** {@code spec.cancel} was set. */
    Cancelled("spec.cancel was set."),
    /** Redis lost the state and {@code spec.storeLossPolicy} is Fail. */
    StoreLost("Redis has lost the state of the Task."),
    /** The nodes are no tree that can run; the message names the node. Of a schedule that goes on: Finished=False. */
    GraphInvalid("The nodes are no tree that can run."),
    /** {@code spec.schedule} never comes, or its time zone is unknown. Of a schedule that goes on: Finished=False. */
    ScheduleInvalid("spec.schedule cannot be computed."),

    // Suspended=False
    /** {@code spec.suspend} is false. */
    NotSuspended("spec.suspend is false.");

    private final String sentence;

    TaskReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
