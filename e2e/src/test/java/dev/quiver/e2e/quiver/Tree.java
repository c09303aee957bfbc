package dev.quiver.e2e.quiver;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.Condition;
import org.awaitility.Awaitility;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;

/** A Task in its namespace, seen from outside. */
public final class Tree {

    private final Space space;
    private final String name;

    Tree(Space space, String name) {
        this.space = space;
        this.name = name;
    }

    /** The resource, where it exists. */
    public Optional<Task> resource() {
        return Optional.ofNullable(space.client()
                .resources(Task.class)
                .inNamespace(space.name())
                .withName(name)
                .get());
    }

    /** Its uid, which all its fields in Redis hold. */
    public String uid() {
        return resource().orElseThrow().getMetadata().getUid();
    }

    /** Its status; an empty one while there is none. */
    public TaskStatus status() {
        return resource()
                .map(Task::getStatus)
                .orElseGet(() -> TaskStatusBuilder.builder().build());
    }

    /** The reason of a condition, empty where there is no such condition. */
    public String reason(ConditionType type) {
        return condition(status(), type).map(Condition::getReason).orElse("");
    }

    /** The message of a condition, empty where there is no such condition. */
    public String message(ConditionType type) {
        return condition(status(), type).map(Condition::getMessage).orElse("");
    }

    /** Waits until it is finished, however it ends, and returns its last status. */
    public TaskStatus awaitFinished() {
        return await("finished", Tree::isFinished);
    }

    /** Waits until its status is as wanted. */
    public TaskStatus await(String what, Predicate<TaskStatus> wanted) {
        return Awaitility.await("Task " + name + " " + what)
                .pollInterval(Duration.ofMillis(200))
                .until(this::status, wanted);
    }

    /** Waits until so many nodes have ended well. */
    public void awaitNodes(long finished) {
        await(
                "with " + finished + " finished nodes",
                status -> status.nodes() != null
                        && status.nodes().finished() != null
                        && status.nodes().finished() >= finished);
    }

    /** Changes a field of the spec with {@code kubectl patch}. */
    public void patch(String spec) {
        space.kubectl().run("patch", "qtask", name, "--type=merge", "--patch", "{\"spec\":{" + spec + "}}");
    }

    static boolean isFinished(TaskStatus status) {
        return condition(status, ConditionType.Finished)
                .filter(condition -> condition.getStatus().equals("True"))
                .isPresent();
    }

    private static Optional<Condition> condition(TaskStatus status, ConditionType type) {
        return status.conditions().stream()
                .filter(condition -> condition.getType().equals(type.name()))
                .findFirst();
    }
}
