package dev.quiver.controller.pool.podstatus;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

/**
 * The resources that a pod requests of a node, as the scheduler counts them, but without init containers that end.
 * Pure.
 */
final class PodRequests {

    private PodRequests() {}

    /** The text for people: {@code 1.25 CPU and 824 MiB of memory}. */
    static String summary(Pod pod) {
        BigDecimal mebibytes =
                sum(pod, "memory").divide(BigDecimal.valueOf(1 << 20), 0, java.math.RoundingMode.CEILING);
        return sum(pod, "cpu").stripTrailingZeros().toPlainString() + " CPU and " + mebibytes.toPlainString()
                + " MiB of memory";
    }

    private static BigDecimal sum(Pod pod, String resource) {
        Stream<Container> sidecars =
                pod.getSpec().getInitContainers().stream().filter(c -> "Always".equals(c.getRestartPolicy()));
        return Stream.concat(pod.getSpec().getContainers().stream(), sidecars)
                .flatMap(c -> asked(c, resource).stream())
                .map(Quantity::getAmountInBytes)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** A limit without a request is the request. */
    private static Optional<Quantity> asked(Container container, String resource) {
        Optional<ResourceRequirements> resources = Optional.ofNullable(container.getResources());
        return resources
                .map(ResourceRequirements::getRequests)
                .map((Map<String, Quantity> r) -> r.get(resource))
                .or(() -> resources
                        .map(ResourceRequirements::getLimits)
                        .map((Map<String, Quantity> l) -> l.get(resource)));
    }
}
