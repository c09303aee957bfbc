package dev.quiver.controller.pool.podstatus;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;

/**
 * A container that ends again and again. It may wait for kubelet's next start, be about to start, or run once more. The
 * message must not change with each of these. Pure.
 *
 * @param message how it ended last
 * @param since when it ended last; absent while it runs again, which may succeed this time
 */
record CrashLoop(String message, Optional<Instant> since) {

    /** A container that runs for this long is well: kubelet, too, counts its ends anew from then on. */
    private static final Duration WELL_AFTER = Duration.ofMinutes(10);

    /** The crash loop of a container of a pod that is not ready. */
    static Optional<CrashLoop> of(ContainerStatus container, Instant now) {
        return waiting(container).or(() -> ended(container)).or(() -> running(container, now));
    }

    /** {@code exit code 137 (OOMKilled)}, with the message that the container left. */
    static String exit(ContainerStateTerminated end) {
        String message = end.getMessage() == null || end.getMessage().isBlank()
                ? ""
                : ": " + end.getMessage().strip();
        return "exit code " + end.getExitCode() + (end.getReason() == null ? "" : " (" + end.getReason() + ")")
                + message;
    }

    /** How it ended before, where that was a failure. */
    static Optional<ContainerStateTerminated> failedBefore(ContainerStatus container) {
        return terminated(container.getLastState()).filter(CrashLoop::failed);
    }

    /** How it ended just now, where that was a failure. */
    static Optional<ContainerStateTerminated> failedNow(ContainerStatus container) {
        return terminated(container.getState()).filter(CrashLoop::failed);
    }

    private static Optional<CrashLoop> waiting(ContainerStatus container) {
        return Optional.ofNullable(container.getState())
                .map(ContainerState::getWaiting)
                .map(ContainerStateWaiting::getReason)
                .filter("CrashLoopBackOff"::equals)
                .map(_ -> terminated(container.getLastState()))
                .map(last -> new CrashLoop(message(container, last), last.flatMap(CrashLoop::finished)));
    }

    private static Optional<CrashLoop> ended(ContainerStatus container) {
        return failedNow(container)
                .filter(_ -> restarts(container) > 0)
                .map(end -> new CrashLoop(message(container, Optional.of(end)), finished(end)));
    }

    /** One failure is no loop: the container may have waited for a dependency that is there now. */
    private static Optional<CrashLoop> running(ContainerStatus container, Instant now) {
        return Optional.ofNullable(container.getState())
                .map(ContainerState::getRunning)
                .filter(run -> restarts(container) > 1 && tooShort(run.getStartedAt(), now))
                .flatMap(_ -> failedBefore(container))
                .filter(last -> finished(last).stream().anyMatch(end -> tooShort(last.getStartedAt(), end)))
                .map(last -> new CrashLoop(message(container, Optional.of(last)), Optional.empty()));
    }

    /** Whether a run, ended or not, is too short to count as well. */
    private static boolean tooShort(String started, Instant until) {
        return Optional.ofNullable(started)
                .map(Instant::parse)
                .filter(from -> from.plus(WELL_AFTER).isAfter(until))
                .isPresent();
    }

    private static String message(ContainerStatus container, Optional<ContainerStateTerminated> last) {
        return "container " + container.getName() + " ends again and again"
                + last.map(end -> ", last with " + exit(end)).orElse("");
    }

    private static Optional<ContainerStateTerminated> terminated(ContainerState state) {
        return Optional.ofNullable(state).map(ContainerState::getTerminated);
    }

    private static boolean failed(ContainerStateTerminated end) {
        return end.getExitCode() != null && end.getExitCode() != 0;
    }

    private static int restarts(ContainerStatus container) {
        return Optional.ofNullable(container.getRestartCount()).orElse(0);
    }

    private static Optional<Instant> finished(ContainerStateTerminated end) {
        return Optional.ofNullable(end.getFinishedAt()).map(Instant::parse);
    }
}
