package dev.quiver.e2e.quiver;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;

/** A TaskSet in its namespace, seen from outside. */
public final class Run {

    private final Space space;
    private final String name;

    Run(Space space, String name) {
        this.space = space;
        this.name = name;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** The resource, where it exists. */
    public Optional<TaskSet> resource() {
        return Optional.ofNullable(space.client()
                .resources(TaskSet.class)
                .inNamespace(space.name())
                .withName(name)
                .get());
    }

    /** Its uid, which all its keys in Redis hold. */
    public String uid() {
        return resource().orElseThrow().getMetadata().getUid();
    }

    /** Its status; an empty one while there is none. */
    public TaskSetStatus status() {
        return resource()
                .map(TaskSet::getStatus)
                .orElseGet(() -> TaskSetStatusBuilder.builder().build());
    }

    /** A condition of its status. */
    public Optional<Condition> condition(ConditionType type) {
        return status().conditions().stream()
                .filter(condition -> condition.getType().equals(type.name()))
                .findFirst();
    }

    /** The reason of a condition, empty where there is no such condition. */
    public String reason(ConditionType type) {
        return condition(type).map(Condition::getReason).orElse("");
    }

    /** The message of a condition, empty where there is no such condition. */
    public String message(ConditionType type) {
        return condition(type).map(Condition::getMessage).orElse("");
    }

    /** Waits until it is finished, however it ends, and returns its last status. */
    public TaskSetStatus awaitFinished() {
        return await("finished", status -> isTrue(status, ConditionType.Finished));
    }

    /** Waits until its status is as wanted. */
    public TaskSetStatus await(String what, Predicate<TaskSetStatus> wanted) {
        return Awaitility.await("TaskSet " + name + " " + what)
                .pollInterval(Duration.ofMillis(200))
                .until(this::status, wanted);
    }

    /** Waits until a condition has this reason. */
    public void awaitReason(ConditionType type, String reason) {
        await(
                type + " for " + reason,
                status -> status.conditions().stream()
                        .anyMatch(it -> it.getType().equals(type.name())
                                && it.getReason().equals(reason)));
    }

    /** Waits until the message of a condition holds these words. */
    public void awaitMessage(ConditionType type, String words) {
        await(
                type + " says " + words,
                status -> status.conditions().stream()
                        .anyMatch(it -> it.getType().equals(type.name())
                                && it.getMessage().contains(words)));
    }

    /** Waits until so many tasks run. */
    public void awaitRunning(long tasks) {
        await("running " + tasks, status -> status.running() != null && status.running() >= tasks);
    }

    /** Waits until so many tasks have passed. */
    public void awaitSucceeded(long tasks) {
        await("succeeded " + tasks, status -> status.succeeded() != null && status.succeeded() >= tasks);
    }

    /** Changes a field of the spec with {@code kubectl patch}. */
    public void patch(String spec) {
        space.kubectl().run("patch", "tset", name, "--type=merge", "--patch", "{\"spec\":{" + spec + "}}");
    }

    /** The pods of its own workers that are not on their way out. */
    public List<Pod> pods() {
        return space.pods().stream()
                .filter(pod -> (TaskSet.OWN_POOL_PREFIX + name)
                        .equals(pod.getMetadata().getLabels().get(Quiver.POOL_LABEL)))
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    /** Whether a condition of a status is True. */
    public static boolean isTrue(TaskSetStatus status, ConditionType type) {
        return status.conditions().stream()
                .anyMatch(
                        it -> it.getType().equals(type.name()) && it.getStatus().equals("True"));
    }
}
