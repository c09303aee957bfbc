package dev.quiver.controller.pool.podstatus;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;

import dev.quiver.crds.v1alpha1.WorkerPool;

/**
 * The last end of the container of a pod that runs tasks, which the kubelet starts again. Pure.
 *
 * @param id differs from that of each other end of the container
 * @param words {@code exit code 137 (OOMKilled)}, with the message that the container left
 */
public record LastEnd(String id, String words) {

    /** An older end has nothing to say of tasks that are lost now. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    /** An end within the last minute of the container that runs tasks; others of the pod's template take no task along. */
    public static Optional<LastEnd> of(Pod pod, Instant now) {
        List<ContainerStatus> containers = Optional.ofNullable(pod.getStatus())
                .map(PodStatus::getContainerStatuses)
                .orElse(List.of());
        return containers.stream()
                .filter(container -> WorkerPool.WORKER_CONTAINER.equals(container.getName()))
                .flatMap(container -> Stream.of(container.getState(), container.getLastState())
                        .filter(Objects::nonNull)
                        .map(ContainerState::getTerminated)
                        .filter(end -> end != null && recent(end, now))
                        .limit(1)
                        .map(end -> new LastEnd(end.getFinishedAt(), CrashLoop.exit(end))))
                .findFirst();
    }

    private static boolean recent(ContainerStateTerminated end, Instant now) {
        return end.getFinishedAt() != null
                && Instant.parse(end.getFinishedAt()).plus(RECENT).isAfter(now);
    }
}
