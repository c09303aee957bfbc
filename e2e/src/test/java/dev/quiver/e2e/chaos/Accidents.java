package dev.quiver.e2e.chaos;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.readiness.Readiness;
import org.awaitility.Awaitility;

import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Space;

/** Lets accidents happen, and knows how many fires of a schedule they can have kept from beginning. */
final class Accidents {

    /** The time until a fire for which an accident waits, so that many accidents meet one. */
    private static final Duration SHORTLY = Duration.ofSeconds(6);

    private static final Duration JUST = Duration.ofMillis(500);

    /** Until somebody fires again once Redis is back. */
    private static final Duration UPKEEP = Duration.ofSeconds(15);

    private final Space space;
    private final Installation quiver;
    private int mostMissed;

    Accidents(Space space, Installation quiver) {
        this.space = space;
        this.quiver = quiver;
    }

    /**
     * How many runs of a schedule that fires each minute may be missed, at most. Among the fires that are due while
     * Redis takes nothing new the last one is made up for.
     */
    int mostMissed() {
        return mostMissed;
    }

    /** Lets one happen, and returns whether it did: a run may have ended meanwhile, and its workers with it. */
    boolean happens(AccidentPlan.Step step, Victim run) {
        awaitFire();
        switch (step.accident()) {
            case OPERATOR_KILLED -> killAll("operator");
            case HISTORY_KILLED -> killAll("history");
            case REDIS_KILLED ->
                withoutRedis(() -> {
                    killAll("redis");
                    Awaitility.await("Redis is back")
                            .until(() -> quiver.redis().run("PING").startsWith("PONG"));
                });
            case MEMORY_FULL -> withoutRedis(() -> new FullMemory(quiver.redis()).hold(step.hold()));
            case SUPERVISOR_KILLED, AGENT_KILLED, POD_KILLED -> {
                Optional<Pod> victim = ready(run, step.pod());
                victim.ifPresent(pod -> happens(step.accident(), pod));
                return victim.isPresent();
            }
        }
        return true;
    }

    private static void awaitFire() {
        Instant fire = Instant.now().truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
        if (Duration.between(Instant.now(), fire).compareTo(SHORTLY) < 0) {
            Awaitility.await("the minute is nearly over")
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> Instant.now().isAfter(fire.minus(JUST)));
        }
    }

    private void withoutRedis(Runnable accident) {
        long began = System.nanoTime();
        accident.run();
        Duration away = Duration.ofNanos(System.nanoTime() - began).plus(UPKEEP);
        mostMissed += (int) away.toMinutes();
    }

    private void happens(Accident accident, Pod pod) {
        if (accident != Accident.AGENT_KILLED) {
            kill(pod, "quiver-supervisor");
        }
        if (accident != Accident.SUPERVISOR_KILLED) {
            kill(pod, "worker");
        }
        if (accident == Accident.POD_KILLED) {
            space.kubectl()
                    .run(
                            "delete",
                            "pod",
                            pod.getMetadata().getName(),
                            "--force",
                            "--grace-period=0",
                            "--ignore-not-found");
        }
    }

    private boolean isOver(Victim run) {
        return Look.at(quiver.redis(), space.name(), List.of(run)).decided().getFirst() >= Runs.TASKS;
    }

    private void killAll(String component) {
        quiver.pods(component).forEach(pod -> kill(pod, component));
    }

    private void kill(Pod pod, String container) {
        quiver.nodes().signalIfThere(pod, container, "KILL");
    }

    /** A worker that is ready; none when the run ends first. */
    private Optional<Pod> ready(Victim run, double share) {
        List<Pod> ready = Awaitility.await("a worker of " + run.name() + " that is ready, or its end")
                .until(
                        () -> run.pods().get().stream()
                                .filter(Readiness::isPodReady)
                                .toList(),
                        pods -> !pods.isEmpty() || isOver(run));
        return ready.isEmpty() ? Optional.empty() : Optional.of(AccidentPlan.pick(ready, share));
    }
}
