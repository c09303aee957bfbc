package dev.quiver.crds.v1alpha1;

/** The types of conditions; {@link #name()} is the type in the condition. */
public enum ConditionType {
    /** TaskSet, Task: True once the run cannot change any more, whatever its end; False until then. */
    Finished,
    /** TaskSet, Task: Unknown while the run is going on; True or False once it is finished. */
    Succeeded,
    /** TaskSet, Task, WorkerPool: whether {@code spec.suspend} is in force. */
    Suspended,
    /** TaskSet, Task, WorkerPool: whether the operator reaches Redis and Redis holds the expected data. */
    StoreReachable,
    /** Any kind whose runs are recorded: whether history is behind, so that less is recorded; absent before the first time. */
    HistoryBacklogged,
    /** Any kind: False where the API server refused the status, so that a part of it is missing; absent otherwise. */
    StatusComplete,
    /** TaskSet or Task with a handler: whether a worker of its pool serves that function; Unknown until there are workers. */
    HandlerAvailable,
    /** Task: whether queued nodes wait for resources that are missing; absent before the first time. */
    Blocked,
    /** WorkerPool: True while a second installation watches its namespace, and leaves it to its owner; absent otherwise. */
    WatchedTwice,
    /** WorkerPool: whether all wanted pods are ready to run tasks. */
    Ready,
    /** WorkerPool: whether pods are on their way out and finish their running tasks. */
    Draining,
    /** WorkerPool: whether user containers kept to the rules by which they share memory with the supervisor. */
    SlotsIntact,
    /** WorkerPool with {@code spec.grantedPrefix}: whether the namespace has that prefix, so that the pool works under it. */
    PrefixGranted,
    /** WorkerPool with {@code spec.autoscaling}: whether the number of its pods follows its work. */
    Autoscaling
}
