package dev.quiver.e2e.quiver;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

/** A WorkerPool in its namespace, seen from outside. */
public final class Pool {

    private final Space space;
    private final String name;

    Pool(Space space, String name) {
        this.space = space;
        this.name = name;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Its status; an empty one while there is none. */
    public WorkerPoolStatus status() {
        WorkerPool pool = space.client()
                .resources(WorkerPool.class)
                .inNamespace(space.name())
                .withName(name)
                .get();
        return pool == null || pool.getStatus() == null
                ? WorkerPoolStatusBuilder.builder().build()
                : pool.getStatus();
    }

    /** Waits until its status is as wanted. */
    public WorkerPoolStatus await(String what, Predicate<WorkerPoolStatus> wanted) {
        return Awaitility.await("WorkerPool " + name + " " + what)
                .pollInterval(Duration.ofMillis(200))
                .until(this::status, wanted);
    }

    /** Waits until all wanted pods are ready and of the present template. */
    public void awaitReady() {
        await(
                "ready",
                status -> status.conditions().stream()
                        .anyMatch(it -> it.getType().equals(ConditionType.Ready.name())
                                && it.getStatus().equals("True")));
    }

    /** Waits until a condition has this reason. */
    public WorkerPoolStatus awaitReason(ConditionType type, String reason) {
        return await(
                type + " for " + reason,
                status -> status.conditions().stream()
                        .anyMatch(it -> it.getType().equals(type.name())
                                && it.getReason().equals(reason)));
    }

    /** Waits until a condition has this status and its message holds these words. */
    public void awaitMessage(ConditionType type, String status, String words) {
        await(
                type + "=" + status + " that says " + words,
                it -> it.conditions().stream()
                        .anyMatch(condition -> condition.getType().equals(type.name())
                                && condition.getStatus().equals(status)
                                && condition.getMessage().contains(words)));
    }

    /** Runs a command in the worker container of its first pod and returns what it printed. */
    public String exec(String... words) {
        String pod = pods().getFirst().getMetadata().getName();
        return space.kubectl()
                .run(Stream.concat(Stream.of("exec", pod, "-c", "worker", "--"), Stream.of(words))
                        .toArray(String[]::new));
    }

    /** Its pods that are not on their way out. */
    public List<Pod> pods() {
        return space.pods().stream()
                .filter(pod -> name.equals(pod.getMetadata().getLabels().get(Quiver.POOL_LABEL)))
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }
}
