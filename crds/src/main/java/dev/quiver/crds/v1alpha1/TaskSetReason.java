package dev.quiver.crds.v1alpha1;

/** Why a condition of a {@link TaskSet} has its status. */
public enum TaskSetReason implements Reason {
    // Finished=False, Succeeded=Unknown
    /** The run was seen and its source is being read into Redis. */
    Accepting("The tasks are being read from the source."),
    /** Tasks are queued and no worker is ready for them. */
    WaitingForWorkers("Tasks are queued and no worker is ready for them yet."),
    /** Tasks are running or queued. */
    Running("Tasks are running."),
    /** The schedule goes on; also while no run is under way. */
    Scheduled("The schedule goes on."),
    /** The run stands still because of {@code spec.suspend}; also of Suspended=True. */
    Suspended("spec.suspend is true."),

    // Finished=True with Succeeded=True
    /** Every task passed. */
    AllTasksSucceeded("Every task passed."),

    // Finished=True with Succeeded=False
    /** Tasks failed in all their trials; every task was run. */
    TasksFailed("Every task was run, and some failed in all their trials."),
    /** More tasks failed than {@code spec.maxFailedTasks} allows: the run was stopped early. */
    MaxFailedTasksExceeded("More tasks failed than spec.maxFailedTasks allows, so the run was stopped."),
    /** A rule of {@code spec.failurePolicy} ended the run; the message names rule and task. */
    FailurePolicy("A rule of spec.failurePolicy ended the run."),
    /** The run took longer than {@code spec.activeDeadlineSeconds}. */
    DeadlineExceeded("The run took longer than spec.activeDeadlineSeconds."),
    /** {@code spec.cancel} was set. */
    Cancelled("spec.cancel was set."),
    /** The workers could not be made ready to run tasks at all. */
    WorkerSetupFailed("The workers could not be prepared."),
    /** Redis lost the state of the run and {@code spec.storeLossPolicy} is Fail. */
    StoreLost("Redis has lost the state of the run."),
    /** The order of the run was damaged in Redis after tasks were given out by it. */
    OrderLost("The order of the tasks can no longer be read, so nobody knows which of them ran."),
    /** The input of the tasks is larger than inline input or a slot may be; the message names both sizes. */
    InputTooLarge("The input of the tasks is too large."),
    /** {@code spec.schedule} never comes, or its time zone is unknown. A schedule that has begun runs has Finished=False. */
    ScheduleInvalid("spec.schedule cannot be computed."),
    /** The source has an entry that cannot be a task; the message names the line or field. */
    SourceInvalid("The source holds something that is not a task."),

    /** The program of {@code spec.source.command} failed; the message has its end and its last lines. */
    SourceFailed("The program that names the tasks failed."),

    // Finished=False, Succeeded=Unknown
    /** The program of {@code spec.source.command} waits for a worker, or runs. */
    WaitingForSource("The program that names the tasks has not ended."),

    // Finished=False, Succeeded=Unknown: waits for a person
    /** The ConfigMap or its key does not exist. */
    SourceNotFound("The ConfigMap of the source, or its key, does not exist."),
    /** The TaskSet of {@code spec.onlyFailedOf} has not ended, or what it left undone is not known. */
    WaitingForRun("The TaskSet of spec.onlyFailedOf has not ended."),
    /** History alone knows what the TaskSet of {@code spec.onlyFailedOf} left undone, and does not answer. */
    RecordNotRead("The record of spec.onlyFailedOf cannot be read."),
    /** The shared pool does not exist. */
    WorkerPoolNotFound("The WorkerPool of spec.workerPoolRef does not exist."),
    /** A pool with the name of the run's own pool has another owner. */
    WorkerPoolNameTaken("A WorkerPool with the name of the run's own pool exists and does not belong to this TaskSet."),
    /** The API server refuses the run's own pool: quota, a policy, a namespace that is being deleted. */
    WorkerPoolRefused("The API server refuses the run's own WorkerPool."),

    /** The API server refuses the run of a schedule that is due: quota, a policy, a namespace that is being deleted. */
    RunRefused("The API server refuses the run that is due."),

    // Suspended=False
    /** {@code spec.suspend} is false. */
    NotSuspended("spec.suspend is false.");

    private final String sentence;

    TaskSetReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
