package dev.quiver.controller.pool.podstatus;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;

/**
 * A pod's stage and a message for people, from its status. Pure.
 *
 * @param stage of the pod
 * @param message why the pod is not ready, empty without a reason
 * @param since for a crashing pod, when its container last ended, absent while it runs again. For a progressing pod,
 *     when it last made progress. For a ready pod, since when it is ready
 */
public record PodObservation(PodStage stage, String message, Optional<Instant> since) {

    /** How long a pod may take before a message explains its wait. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Set<String> IMAGE_REASONS = Set.of(
            "ImagePullBackOff",
            "ErrImagePull",
            "InvalidImageName",
            "ErrImageNeverPull",
            "ImageInspectError",
            "RegistryUnavailable",
            "SignatureValidationFailed");
    private static final Set<String> CONFIG_REASONS =
            Set.of("CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PreCreateHookError");

    /** The observation of a pod at that time. */
    public static PodObservation of(Pod pod, Instant now) {
        PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
        if (pod.getMetadata().getDeletionTimestamp() != null) {
            return new PodObservation(PodStage.TERMINATING, disrupted(status), Optional.empty());
        }
        if ("Failed".equals(status.getPhase()) || "Succeeded".equals(status.getPhase())) {
            return new PodObservation(PodStage.ENDED, ended(status), Optional.empty());
        }
        return unscheduled(pod, status)
                .or(() -> containers(status).flatMap(c -> stuck(c).stream()).findFirst())
                .or(() -> ready(status))
                .or(() -> containers(status)
                        .flatMap(c -> CrashLoop.of(c, now).stream())
                        .findFirst()
                        .map(loop -> new PodObservation(PodStage.CRASHING, loop.message(), loop.since())))
                .orElseGet(() -> progressing(pod, status));
    }

    /** The message at that time: empty for a pod that has not taken long yet. */
    public String message(Instant now) {
        boolean early = stage.progressing()
                && since.filter(s -> s.plus(PATIENCE).isAfter(now)).isPresent();
        return early ? "" : message;
    }

    /** Ready, despite earlier failures of its containers: a pod is ready only while all of them run. */
    private static Optional<PodObservation> ready(PodStatus status) {
        return condition(status, "Ready")
                .filter(c -> "True".equals(c.getStatus()))
                .map(c -> new PodObservation(
                        PodStage.READY,
                        "",
                        Optional.ofNullable(c.getLastTransitionTime()).map(Instant::parse)));
    }

    private static PodObservation progressing(Pod pod, PodStatus status) {
        SlowPod slow = new SlowPod(pod, status);
        return "Running".equals(status.getPhase())
                ? new PodObservation(PodStage.UNREADY, slow.unreadyMessage(), Optional.of(slow.unreadySince()))
                : new PodObservation(PodStage.STARTING, slow.startingMessage(), Optional.of(slow.startingSince()));
    }

    private static Optional<PodObservation> unscheduled(Pod pod, PodStatus status) {
        return condition(status, "PodScheduled")
                .filter(c -> "False".equals(c.getStatus()))
                .map(c -> "SchedulingGated".equals(c.getReason())
                        ? new PodObservation(PodStage.GATED, "a scheduling gate holds the pod back", Optional.empty())
                        : new PodObservation(
                                PodStage.UNSCHEDULABLE,
                                "no node can take the pod, which asks for " + PodRequests.summary(pod) + ": "
                                        + text(c.getMessage(), c.getReason()),
                                Optional.empty()));
    }

    /** A container that waits for an event that does not come. */
    private static Optional<PodObservation> stuck(ContainerStatus container) {
        return waiting(container).flatMap(waiting -> {
            if (IMAGE_REASONS.contains(waiting.getReason())) {
                String message = "container " + container.getName() + ": image " + container.getImage()
                        + " cannot be pulled: " + text(waiting.getMessage(), waiting.getReason());
                return Optional.of(new PodObservation(PodStage.IMAGE_FAILED, message, Optional.empty()));
            }
            if (CONFIG_REASONS.contains(waiting.getReason())) {
                String message = "container " + container.getName() + " cannot be created: "
                        + text(waiting.getMessage(), waiting.getReason());
                return Optional.of(new PodObservation(PodStage.CONFIG_INVALID, message, Optional.empty()));
            }
            return Optional.empty();
        });
    }

    /** The cause that ends the pod: a drained or lost node, a preemption; empty if the API server does not know. */
    private static String disrupted(PodStatus status) {
        return condition(status, "DisruptionTarget")
                .filter(c -> "True".equals(c.getStatus()))
                .map(c -> "the pod was ended: " + c.getReason()
                        + (c.getMessage() == null || c.getMessage().isBlank() ? "" : ": " + c.getMessage()))
                .orElse("");
    }

    private static String ended(PodStatus status) {
        return "the pod ended: " + text(status.getReason(), status.getPhase())
                + (status.getMessage() == null ? "" : ": " + status.getMessage());
    }

    private static Stream<ContainerStatus> containers(PodStatus status) {
        return Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses())
                .filter(Objects::nonNull)
                .flatMap(List::stream);
    }

    private static Optional<ContainerStateWaiting> waiting(ContainerStatus container) {
        return Optional.ofNullable(container.getState()).map(ContainerState::getWaiting);
    }

    private static Optional<PodCondition> condition(PodStatus status, String type) {
        return status.getConditions() == null
                ? Optional.empty()
                : status.getConditions().stream()
                        .filter(c -> type.equals(c.getType()))
                        .findFirst();
    }

    private static String text(String preferred, String otherwise) {
        return preferred == null || preferred.isBlank() ? String.valueOf(otherwise) : preferred;
    }
}
