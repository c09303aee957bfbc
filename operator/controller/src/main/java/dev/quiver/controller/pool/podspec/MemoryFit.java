package dev.quiver.controller.pool.podspec;

import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpec;
import dev.quiver.slots.Geometry;

/**
 * Checks that the slots fit into the memory limits of the containers that are charged for them. A pod for which they do
 * not fit would be killed by a signal at each start. A message before that is better. The scheduler reports a pod that
 * fits on no node. Pure.
 */
public final class MemoryFit {

    /** Below this the supervisor's JVM does not start or is killed under load. */
    static final long LEAST_JVM_BYTES = 128L << 20;

    /**
     * The part of the worker container's limit that the outputs may take, in percent. No task can free this memory. The
     * agent ends the largest task when 95 % are in use.
     */
    static final long OUTPUTS_PERCENT = 90;

    private MemoryFit() {}

    /** The part that does not fit, with both sizes; names the fields. */
    public static Optional<String> problem(WorkerPoolSpec spec, PodPlatform platform) {
        return outputs(spec).or(() -> supervisor(spec, platform));
    }

    private static Optional<String> outputs(WorkerPoolSpec spec) {
        Geometry geometry = SupervisorResources.geometry(spec);
        Optional<Quantity> limit = spec.template().getSpec().getContainers().stream()
                .filter(c -> WorkerPool.WORKER_CONTAINER.equals(c.getName()))
                .findFirst()
                .map(Container::getResources)
                .flatMap(MemoryFit::limit);
        return limit.filter(l -> geometry.userMemoryBytes() > bytes(l) / 100 * OUTPUTS_PERCENT)
                .map(l -> "spec.slots: the outputs of " + geometry.slots()
                        + " slots, and the agent with its runners, take "
                        + geometry.userMemoryBytes()
                        + " bytes of the container worker's memory, and may take " + OUTPUTS_PERCENT
                        + " % of its resources.limits.memory " + l
                        + ": raise the limit above the sum of these and the needs of the tasks,"
                        + " or make slots.outputSize or slots.count smaller");
    }

    private static Optional<String> supervisor(WorkerPoolSpec spec, PodPlatform platform) {
        long inputs = SupervisorResources.geometry(spec).inVolumeBytes();
        return Optional.ofNullable(
                        SupervisorResources.of(spec, platform).getLimits().get("memory"))
                .map(whole -> bytes(whole) - inputs)
                .filter(share -> share < LEAST_JVM_BYTES)
                .map(share -> SupervisorResources.memorySource(spec) + " is " + share
                        + " bytes, and the supervisor needs at least " + LEAST_JVM_BYTES
                        + " (128Mi), the inputs of the slots not counted");
    }

    private static Optional<Quantity> limit(ResourceRequirements resources) {
        return Optional.ofNullable(resources.getLimits()).map((Map<String, Quantity> limits) -> limits.get("memory"));
    }

    private static long bytes(Quantity quantity) {
        return Quantity.getAmountInBytes(quantity).longValue();
    }
}
