package dev.quiver.crds.v1alpha1;

/** The names that all resources of Quiver and the pods made from them share. */
public final class Quiver {
    /** The API group. */
    public static final String GROUP = "quiver.dev";
    /** The API version of this package. */
    public static final String VERSION = "v1alpha1";
    /** {@code kubectl get quiver} lists every kind of this category. */
    public static final String CATEGORY = "quiver";

    /** Names of containers and volumes with this prefix belong to the operator. */
    public static final String RESERVED_NAME_PREFIX = "quiver-";
    /** Environment variables with this prefix belong to the operator. */
    public static final String RESERVED_ENV_PREFIX = "QUIVER_";
    /** The Secret that the operator writes into every namespace with pools; only the supervisor mounts it. */
    public static final String REDIS_SECRET = "quiver-redis";
    /** The key of that Secret with the certificates that supervisors trust at history; empty for those of their runtime. */
    public static final String HISTORY_AUTHORITIES = "history-ca.crt";
    /** The Secret beside it for programs that create Tasks: with fewer rights, and for any pod. */
    public static final String REDIS_CLIENT_SECRET = "quiver-redis-client";
    /** The Secret in the operator's namespace that history mounts. */
    public static final String REDIS_HISTORY_SECRET = "quiver-redis-history";
    /** The ServiceAccount in every namespace with pools whose tokens open the record of that namespace's runs. */
    public static final String READER_ACCOUNT = "quiver-reader";

    /** Label of a worker pod: the name of its pool. */
    public static final String POOL_LABEL = GROUP + "/pool";
    /** Label of a worker pod: the hash of the template that it was made from. */
    public static final String TEMPLATE_HASH_LABEL = GROUP + "/template-hash";

    /** Label of a run of a schedule: the name of the TaskSet that has the schedule. */
    public static final String SCHEDULE_LABEL = GROUP + "/schedule";
    /** Annotation of a run of a schedule: when it was due, as RFC 3339 in UTC. */
    public static final String SCHEDULED_TIME_ANNOTATION = GROUP + "/scheduled-time";

    /** Label of every object that the operator makes. */
    public static final String MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";
    /** The value of {@link #MANAGED_BY_LABEL}. */
    public static final String MANAGED_BY = "quiver";

    private Quiver() {}
}
