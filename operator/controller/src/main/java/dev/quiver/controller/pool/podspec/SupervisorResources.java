package dev.quiver.controller.pool.podspec;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;

import dev.quiver.crds.v1alpha1.WorkerPoolSpec;
import dev.quiver.slots.Geometry;

/**
 * A supervisor's resources: the pool's or the operator's share for its JVM, plus the whole input volume. The supervisor
 * is charged for the pages of that volume, since it allocates them. There is always a CPU request, because an HPA on
 * CPU needs one. Pure.
 */
final class SupervisorResources {

    private static final Quantity CPU_REQUEST = new Quantity("50m");

    private SupervisorResources() {}

    static ResourceRequirements of(WorkerPoolSpec spec, PodPlatform platform) {
        ResourceRequirements chosen =
                Optional.ofNullable(spec.supervisor().resources()).orElse(platform.supervisorResources());
        Map<String, Quantity> requests = copy(chosen.getRequests());
        Map<String, Quantity> limits = copy(chosen.getLimits());
        Quantity jvmLimit = limits.getOrDefault(
                "memory", requests.getOrDefault("memory", memory(platform).orElse(PodPlatform.JVM_MEMORY)));
        Quantity jvmRequest = requests.getOrDefault("memory", jvmLimit);
        long inputs = geometry(spec).inVolumeBytes();
        limits.put("memory", plus(jvmLimit, inputs));
        requests.put("memory", plus(jvmRequest, inputs));
        requests.putIfAbsent("cpu", CPU_REQUEST);
        return new ResourceRequirementsBuilder(chosen)
                .withRequests(requests)
                .withLimits(limits)
                .build();
    }

    /** The field that the supervisor's memory limit comes from. */
    static String memorySource(WorkerPoolSpec spec) {
        return Optional.ofNullable(spec.supervisor().resources())
                .flatMap(own -> Stream.of("limits", "requests")
                        .filter(list -> copy("limits".equals(list) ? own.getLimits() : own.getRequests())
                                .containsKey("memory"))
                        .findFirst()
                        .map(list -> "spec.supervisor.resources." + list + ".memory"))
                .orElse("the chart's worker.supervisorResources, which serves pools that set no"
                        + " spec.supervisor.resources.limits.memory,");
    }

    static Geometry geometry(WorkerPoolSpec spec) {
        return new Geometry(
                spec.slots().count(), spec.slots().inputBytes(), spec.slots().outputBytes());
    }

    private static Optional<Quantity> memory(PodPlatform platform) {
        return Optional.ofNullable(platform.supervisorResources().getLimits()).map(l -> l.get("memory"));
    }

    private static Map<String, Quantity> copy(Map<String, Quantity> amounts) {
        return amounts == null ? new HashMap<>() : new HashMap<>(amounts);
    }

    private static Quantity plus(Quantity amount, long bytes) {
        BigDecimal sum = Quantity.getAmountInBytes(amount).add(BigDecimal.valueOf(bytes));
        return new Quantity(sum.toBigInteger().toString());
    }
}
