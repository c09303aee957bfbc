package dev.quiver.crds.v1alpha1;

/** Why a condition of a {@link Task} or a {@link MapReduceJob} has its status: what both have in common. */
public enum TreeReason implements Reason {
    // Finished=False, Succeeded=Unknown
    /** It was seen and its work is being written into Redis. */
    Accepting("The work is being written into Redis."),
    /** It waits for {@code spec.notBefore} or {@code spec.postponeSeconds}. */
    Postponed("It is not yet time to start."),
    /** The schedule goes on; also while no run is under way. */
    Scheduled("The schedule goes on."),
    /** Work is queued and no worker is ready for it. */
    WaitingForWorkers("Work is queued and no worker is ready for it yet."),
    /** Redis has no memory for chunks; the task that makes them waits and is tried again. */
    OutOfMemory("Redis has no memory for the chunks."),
    /** Work is running or queued. */
    Running("It is running."),
    /** It stands still because of {@code spec.suspend}; also of Suspended=True. */
    Suspended("spec.suspend is true."),
    /** A pool that the spec names does not exist; the message names it. */
    WorkerPoolNotFound("A WorkerPool that the spec names does not exist."),

    // Finished=True with Succeeded=False
    /** It took longer than {@code spec.activeDeadlineSeconds}. */
    DeadlineExceeded("It took longer than spec.activeDeadlineSeconds."),
    /** {@code spec.cancel} was set. */
    Cancelled("spec.cancel was set."),
    /** Redis lost the state and {@code spec.storeLossPolicy} is Fail. */
    StoreLost("Redis has lost the state of the run."),
    /** {@code spec.schedule} never comes, or its time zone is unknown. A schedule that goes on has Finished=False. */
    ScheduleInvalid("spec.schedule cannot be computed."),

    // Suspended=False
    /** {@code spec.suspend} is false. */
    NotSuspended("spec.suspend is false.");

    private final String sentence;

    TreeReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
