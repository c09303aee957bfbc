package dev.quiver.e2e.quiver;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;

/** The time that a pod is without a supervisor, after the death of one and until the next has its session in Redis. */
public final class Absence {

    private static final String SUPERVISOR = "quiver-supervisor";

    private final Space space;
    private final String pod;

    /** The absence of a pod's supervisor that was just killed, for the first time. */
    public Absence(Space space, Pod pod) {
        this.space = space;
        this.pod = pod.getMetadata().getName();
    }

    /**
     * Waits until the supervisor is back and says how long it was away. That is never less than it was, and at most a second
     * more, because kubelet writes down the second in which a process has died.
     */
    public Duration awaitEnd() {
        Instant died = Awaitility.await("another supervisor in " + pod)
                .until(this::death, Optional::isPresent)
                .orElseThrow();
        Instant back = Awaitility.await("its session")
                .until(this::session, Optional::isPresent)
                .orElseThrow();
        return Duration.between(died, back);
    }

    /** When the supervisor before has died, once another one runs. */
    private Optional<Instant> death() {
        return space.pods().stream()
                .filter(it -> it.getMetadata().getName().equals(pod))
                .flatMap(it -> it.getStatus().getInitContainerStatuses().stream())
                .filter(status ->
                        status.getName().equals(SUPERVISOR) && status.getState().getRunning() != null)
                .map(ContainerStatus::getLastState)
                .filter(last -> last != null && last.getTerminated() != null)
                .map(last -> last.getTerminated())
                .map(ContainerStateTerminated::getFinishedAt)
                .map(Instant::parse)
                .findFirst();
    }

    /** When the one that runs now said that it has a session. */
    private Optional<Instant> session() {
        return space.kubectl()
                .run("logs", pod, "--container", SUPERVISOR, "--timestamps")
                .lines()
                .filter(line -> line.endsWith(" is open"))
                .map(line -> Instant.parse(line.substring(0, line.indexOf(' '))))
                .findFirst();
    }
}
