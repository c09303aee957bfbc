package dev.quiver.controller.pool.podspec;

import java.util.Optional;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

/**
 * The operator's settings for every worker pod.
 *
 * @param workerImage the image with supervisor and agent
 * @param pullPolicy of that image
 * @param supervisorResources of a supervisor whose pool names none; its memory is the JVM's share
 * @param platformAssignsIds whether admission gives pods their uids and fsGroup (OpenShift): then none are set here
 * @param history where large results go; absent where nobody takes them
 */
public record PodPlatform(
        String workerImage,
        String pullPolicy,
        ResourceRequirements supervisorResources,
        boolean platformAssignsIds,
        Optional<HistoryEndpoint> history) {

    /** A platform where nobody takes large results. */
    public PodPlatform(
            String workerImage,
            String pullPolicy,
            ResourceRequirements supervisorResources,
            boolean platformAssignsIds) {
        this(workerImage, pullPolicy, supervisorResources, platformAssignsIds, Optional.empty());
    }

    /** The memory of a supervisor's JVM, unless the pool or the operator's settings set another. */
    public static final Quantity JVM_MEMORY = new Quantity("192Mi");

    /** The user and the group of our own containers where neither template nor platform sets one. */
    static final long OWN_ID = 65532L;
}
