package dev.quiver.crds.v1alpha1;

/** Why a condition of a {@link WorkerPool} has its status. */
public enum WorkerPoolReason implements Reason {
    // Ready=True
    /** All wanted pods are ready. */
    AllReplicasReady("All wanted pods are ready."),

    // Ready=False
    /** Pods are being created or are starting. */
    ScalingUp("Pods are being created or are starting."),
    /** Pods are replaced by ones of the present template. */
    RollingOut("Pods are replaced by ones made from the present template."),
    /**
     * The API server refused the pods: quota, Pod Security or another admission; the message has the server's words.
     */
    PodsRefused("The API server refuses the pods."),
    /** Pods wait for a node that can take them. */
    PodsUnschedulable("No node can take the pods."),
    /** A scheduling gate holds the pods back. */
    PodsGated("A scheduling gate holds the pods back."),
    /** An image of the template cannot be pulled. */
    ImagePullFailed("An image cannot be pulled."),
    /** A container cannot be created as configured. */
    ContainerConfigInvalid("A container cannot be created as it is configured."),
    /** A container of the pods ends again and again. */
    ContainersCrashing("A container ends again and again."),
    /** Pods run, but their supervisor holds no session in Redis. */
    WorkersNotReady("Pods run but are not ready for tasks."),
    /** The pool has no pods because of {@code spec.suspend}; also of Suspended=True and Draining=True. */
    Suspended("spec.suspend is true."),
    /** The spec cannot be made into a pod; the message names field and value. */
    SpecInvalid("The spec cannot be made into a pod."),
    /**
     * The namespace's Secret {@code quiver-redis} cannot be made, and no worker could mount it; the message has the
     * cause.
     */
    RedisSecretMissing("The namespace has no Secret with the way to Redis."),

    // Draining=True; also RollingOut and Suspended
    /** More pods exist than are wanted. */
    ScalingDown("More pods exist than are wanted."),
    /** The pool is being deleted; also of Ready=False. */
    Deleting("The pool is being deleted."),

    // Draining=False
    /** No pod drains. */
    NothingToDrain("No pod drains."),

    // SlotsIntact=True
    /** No container broke the rules of the slots. */
    SlotsIntact("No container broke the rules of the slots."),

    // SlotsIntact=False
    /**
     * A user container broke the rules in a way that is no accident. For an hour, the message names container and
     * violation.
     */
    SlotsViolated("A container broke the rules of the slots; its pod is replaced."),

    // PrefixGranted=True
    /** The namespace has the prefix of {@code spec.grantedPrefix}. */
    PrefixGranted("The namespace was granted this prefix, and the pool works under it."),

    // PrefixGranted=False
    /** The namespace was granted no prefix, or another one. */
    NotGranted("The namespace was not granted this prefix."),
    /** The keys of idoit are in no one slot of a Redis Cluster. */
    RedisCluster("On a Redis Cluster no prefix can be granted."),

    // Autoscaling=True
    /** The work needs no more pods than {@code spec.replicas}. */
    AtMinimum("The work needs no more pods than replicas."),
    /** The work needs more pods than {@code spec.replicas}, and gets them. */
    FollowsBacklog("The number of pods follows the work."),
    /** There are as many pods as {@code autoscaling.maxReplicas}; the message has how many the work needs. */
    AtMaximum("There are as many pods as autoscaling.maxReplicas."),

    // Autoscaling=False; also Suspended
    /** Redis was not read for ten seconds: the pods stay as they are. */
    FiguresMissing("Redis was not read for ten seconds; the pods stay as they are."),
    /** {@code autoscaling.mode} is Report: the number is only shown. */
    Reporting("autoscaling.mode is Report: the number of pods is shown and not followed."),

    // WatchedTwice
    /** Another installation watches the namespace; the message names both. */
    LeftToOwner("Another installation watches this namespace as well, and leaves it to its owner."),

    // Suspended=False
    /** {@code spec.suspend} is false. */
    NotSuspended("spec.suspend is false.");

    private final String sentence;

    WorkerPoolReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
