package dev.quiver.crds.v1alpha1;

/** Parts of rules and messages that more than one field uses. */
final class Rules {

    /** The message for a change of a fixed field of a TaskSet. */
    static final String TASK_SET_IS_FIXED =
            "cannot be changed without schedule: only replicas, maxParallelTasks, suspend, cancel, relPriority, tags,"
                    + " activeDeadlineSeconds and ttlSecondsAfterFinished can; make a new TaskSet instead";

    /** The message for a change of a pool's keyspace. */
    static final String KEYSPACE_IS_FIXED = "cannot be added, changed or removed: make a new WorkerPool instead";

    /** Follows the value that it checks. */
    static final String IS_DNS_LABEL = ".matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')";

    /** The meaning of {@link #IS_DNS_LABEL}. */
    static final String DNS_LABEL = "lower-case letters, digits and -, neither first nor last a -";

    /** Follows the value that it checks, as a string. */
    static final String IS_PODS_OR_PERCENTAGE = ".matches('^([0-9]{1,3}|1000|(100|[0-9]{1,2})%)$')";

    /** The meaning of {@link #IS_PODS_OR_PERCENTAGE}. */
    static final String PODS_OR_PERCENTAGE =
            "must be a number of pods from 0 to 1000 or a percentage from 0% to 100%, such as 2 or 25%";

    /** The message for an invalid size of a slot. */
    static final String SLOT_SIZE = "must be a whole number of bytes from 4Ki to 16Gi, such as 64Ki, 1Mi or 2Gi";

    /** True of the words of a command. */
    static final String IS_COMMAND = "size(self) == 0 || size(self[0]) > 0";

    /** The meaning of {@link #IS_COMMAND}. */
    static final String COMMAND = "must begin with the program to run: its first string may not be empty";

    /** True of the name of a function. */
    static final String IS_HANDLER =
            "size(bytes(self)) <= 128 && !self.matches('[\\u0000-\\u001f\\u007f-\\u009f]|#plan$|#contingency$')";

    /** The meaning of {@link #IS_HANDLER}. */
    static final String HANDLER =
            "must be a name of 1 to 128 bytes of UTF-8 without control characters, and without #plan or"
                    + " #contingency at its end";

    /**
     * Bytes in base64 with padding. The format {@code byte} would not do: rules then read the text by the alphabet for URLs,
     * and refuse + and /.
     */
    static final String BASE64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

    /** True of a text without control characters. */
    static final String IS_ONE_LINE = "!self.matches('[\\u0000-\\u001f\\u007f-\\u009f]')";

    /** The meaning of {@link #IS_ONE_LINE} for the place of an input. */
    static final String LOCATOR = "must be a URL or a path without control characters";

    /** True of a path from the root. */
    static final String IS_ABSOLUTE = "self.startsWith('/')";

    /** The meaning of {@link #IS_ABSOLUTE}. */
    static final String ABSOLUTE = "must be an absolute path: it begins with /";

    /** True of a cancel that is set or stays unset. */
    static final String IS_NOT_TAKEN_BACK = "self || !oldSelf";

    private Rules() {}
}
