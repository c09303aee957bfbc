package dev.quiver.crds.v1alpha1;

/** Parts of rules and messages that stand at more than one field. */
final class Rules {

    /** What is said where a field of a TaskSet is changed that cannot be. */
    static final String TASK_SET_IS_FIXED =
            "cannot be changed: only replicas, suspend, cancel, activeDeadlineSeconds and ttlSecondsAfterFinished can;"
                    + " make a new TaskSet instead";

    /** What is said where a pool's keyspace is changed. */
    static final String KEYSPACE_IS_FIXED = "cannot be added, changed or removed: make a new WorkerPool instead";

    /** Behind the value it is asked of. */
    static final String IS_DNS_LABEL = ".matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')";

    /** What {@link #IS_DNS_LABEL} means. */
    static final String DNS_LABEL = "lower-case letters, digits and -, neither first nor last a -";

    /** Behind the value it is asked of, as a string. */
    static final String IS_PODS_OR_PERCENTAGE = ".matches('^([0-9]{1,3}|1000|(100|[0-9]{1,2})%)$')";

    /** What {@link #IS_PODS_OR_PERCENTAGE} means. */
    static final String PODS_OR_PERCENTAGE =
            "must be a number of pods from 0 to 1000 or a percentage from 0% to 100%, such as 2 or 25%";

    /** What is said where a size of the slots is none. */
    static final String SLOT_SIZE = "must be a whole number of bytes from 4Ki to 16Gi, such as 64Ki, 1Mi or 2Gi";

    private Rules() {}
}
