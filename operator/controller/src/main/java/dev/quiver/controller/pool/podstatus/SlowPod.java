package dev.quiver.controller.pool.podstatus;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateRunning;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Volume;

import dev.quiver.controller.pool.podspec.PodParts;

/**
 * The message for a pod that is slow and names no reason itself. kubelet reports a missing volume only in an Event,
 * which the operator may not read. So the message names the needs of the pod and the command that shows more. Pure.
 */
record SlowPod(Pod pod, PodStatus status) {

    private static final Set<String> NOTHING_YET = Set.of("ContainerCreating", "PodInitializing");

    /** The message of a pod that does not run yet. */
    String startingMessage() {
        if (pod.getSpec().getNodeName() == null) {
            return "no scheduler has given it a node";
        }
        if (nothingStarted()) {
            return "its volumes or its network are not there" + needed() + "; kubectl describe pod shows why";
        }
        return statuses()
                .flatMap(c -> starting(c).stream())
                .findFirst()
                .orElse("node " + pod.getSpec().getNodeName() + " has not started it; kubectl describe pod shows more");
    }

    /** The message of a pod that runs and is not ready. */
    String unreadyMessage() {
        List<String> unready = statuses()
                .filter(c -> !Boolean.TRUE.equals(c.getReady()))
                .map(SlowPod::unready)
                .toList();
        return unready.isEmpty()
                ? condition("Ready").map(PodCondition::getMessage).orElse("its containers are ready and the pod is not")
                : String.join("; ", unready);
    }

    /** The start of its wait: the time at which it got a node. */
    Instant startingSince() {
        return condition("PodScheduled")
                .flatMap(SlowPod::transition)
                .orElseGet(() -> Instant.parse(pod.getMetadata().getCreationTimestamp()));
    }

    /** The time since which it runs and is not ready: its last readiness, or the start of its last container. */
    Instant unreadySince() {
        return Stream.concat(
                        condition("Ready").flatMap(SlowPod::transition).stream(),
                        statuses()
                                .flatMap(c -> running(c).stream())
                                .map(ContainerStateRunning::getStartedAt)
                                .filter(Objects::nonNull)
                                .map(Instant::parse))
                .max(Instant::compareTo)
                .orElseGet(this::startingSince);
    }

    private boolean nothingStarted() {
        return condition("PodReadyToStartContainers")
                .map(c -> "False".equals(c.getStatus()))
                .orElseGet(() -> statuses().findAny().isPresent()
                        && statuses()
                                .allMatch(c -> waiting(c)
                                        .filter(w -> NOTHING_YET.contains(w.getReason()))
                                        .isPresent()));
    }

    private Optional<String> starting(ContainerStatus container) {
        if (waiting(container).isPresent()) {
            return Optional.of("container " + container.getName() + " is being made; its image may still be pulled");
        }
        Optional<ContainerStateTerminated> failed = CrashLoop.failedNow(container);
        if (failed.isPresent()) {
            return Optional.of("container " + container.getName() + " ended with " + CrashLoop.exit(failed.get())
                    + " and is started again");
        }
        boolean runs = running(container).isPresent();
        if (runs && stays(container.getName())) {
            return Boolean.TRUE.equals(container.getStarted())
                    ? Optional.empty()
                    : Optional.of("container " + container.getName() + " runs and has not started up; kubectl logs -c "
                            + container.getName() + " shows why");
        }
        boolean goesBefore = pod.getSpec().getInitContainers().stream()
                .anyMatch(c -> c.getName().equals(container.getName()));
        return runs && goesBefore
                ? Optional.of("init container " + container.getName() + " still runs" + before(container))
                : Optional.empty();
    }

    /** Whether an init container runs on beside the others. */
    private boolean stays(String name) {
        return pod.getSpec().getInitContainers().stream()
                .filter(c -> c.getName().equals(name))
                .map(Container::getRestartPolicy)
                .anyMatch("Always"::equals);
    }

    private static String unready(ContainerStatus container) {
        if (PodParts.SUPERVISOR.equals(container.getName())) {
            return "its supervisor has no session in Redis, or no contact to container worker;" + " kubectl logs -c "
                    + PodParts.SUPERVISOR + " shows which";
        }
        return "container " + container.getName()
                + (running(container).isPresent()
                        ? " runs, but its readiness probe fails" + before(container)
                        : CrashLoop.failedNow(container)
                                .map(end -> " ended with " + CrashLoop.exit(end))
                                .orElse(" does not run"));
    }

    private static String before(ContainerStatus container) {
        return CrashLoop.failedBefore(container)
                .map(end -> "; before, it ended with " + CrashLoop.exit(end))
                .orElse("");
    }

    private String needed() {
        String names = pod.getSpec().getVolumes().stream()
                .flatMap(SlowPod::source)
                .distinct()
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : " (it needs " + names + ")";
    }

    private static Stream<String> source(Volume volume) {
        if (volume.getConfigMap() != null
                && !Boolean.TRUE.equals(volume.getConfigMap().getOptional())) {
            return Stream.of("ConfigMap " + volume.getConfigMap().getName());
        }
        if (volume.getSecret() != null
                && !Boolean.TRUE.equals(volume.getSecret().getOptional())) {
            return Stream.of("Secret " + volume.getSecret().getSecretName());
        }
        return volume.getPersistentVolumeClaim() == null
                ? Stream.empty()
                : Stream.of("PersistentVolumeClaim "
                        + volume.getPersistentVolumeClaim().getClaimName());
    }

    private Stream<ContainerStatus> statuses() {
        return Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses())
                .filter(Objects::nonNull)
                .flatMap(List::stream);
    }

    private Optional<PodCondition> condition(String type) {
        return Stream.ofNullable(status.getConditions())
                .flatMap(List::stream)
                .filter(c -> type.equals(c.getType()))
                .findFirst();
    }

    private static Optional<Instant> transition(PodCondition condition) {
        return Optional.ofNullable(condition.getLastTransitionTime()).map(Instant::parse);
    }

    private static Optional<ContainerStateWaiting> waiting(ContainerStatus container) {
        return Optional.ofNullable(container.getState()).map(ContainerState::getWaiting);
    }

    private static Optional<ContainerStateRunning> running(ContainerStatus container) {
        return Optional.ofNullable(container.getState()).map(ContainerState::getRunning);
    }
}
