package dev.quiver.e2e.quiver;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.Condition;
import org.awaitility.Awaitility;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceJobStatusBuilder;

/** A map-reduce job in its namespace, seen from outside. */
public final class Job {

    private final Space space;
    private final String name;

    Job(Space space, String name) {
        this.space = space;
        this.name = name;
    }

    /** The resource, where it exists. */
    public Optional<MapReduceJob> resource() {
        return Optional.ofNullable(space.client()
                .resources(MapReduceJob.class)
                .inNamespace(space.name())
                .withName(name)
                .get());
    }

    /** Its uid, which all its fields in Redis hold. */
    public String uid() {
        return resource().orElseThrow().getMetadata().getUid();
    }

    /** Its status; an empty one while there is none. */
    public MapReduceJobStatus status() {
        return resource()
                .map(MapReduceJob::getStatus)
                .orElseGet(() -> MapReduceJobStatusBuilder.builder().build());
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
    public MapReduceJobStatus awaitFinished() {
        return await("finished", Job::isFinished);
    }

    /** Waits until its status is as wanted. */
    public MapReduceJobStatus await(String what, Predicate<MapReduceJobStatus> wanted) {
        return Awaitility.await("MapReduceJob " + name + " " + what)
                .pollInterval(Duration.ofMillis(200))
                .until(this::status, wanted);
    }

    /** Waits until so many chunks have ended well. */
    public void awaitChunks(long done) {
        await(
                "with " + done + " chunks that are done",
                status -> status.chunks() != null && status.chunks().done() >= done);
    }

    /** Changes a field of the spec with {@code kubectl patch}. */
    public void patch(String spec) {
        space.kubectl().run("patch", "mrj", name, "--type=merge", "--patch", "{\"spec\":{" + spec + "}}");
    }

    static boolean isFinished(MapReduceJobStatus status) {
        return condition(status, ConditionType.Finished)
                .filter(condition -> condition.getStatus().equals("True"))
                .isPresent();
    }

    private static Optional<Condition> condition(MapReduceJobStatus status, ConditionType type) {
        return status.conditions().stream()
                .filter(condition -> condition.getType().equals(type.name()))
                .findFirst();
    }
}
