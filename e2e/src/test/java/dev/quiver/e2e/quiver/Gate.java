package dev.quiver.e2e.quiver;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskStatus;

/**
 * Keeps tasks running in a pod's container until the test lets them end, to be lost however late the accident comes.
 *  A task that comes to the pod later ends at once.
 */
public final class Gate {

    /** A line of a task's script that waits for the gate. */
    public static final String WAIT = "until [ -e /tmp/let-end ]; do sleep 0.2; done";

    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

    private final Space space;

    /** The gates of the pods of a namespace. */
    public Gate(Space space) {
        this.space = space;
    }

    /** Lets the tasks of a pod end. */
    public void open(Pod pod) {
        space.kubectl()
                .run("exec", pod.getMetadata().getName(), "--container", "worker", "--", "touch", "/tmp/let-end");
    }

    /** Lets all tasks of a run end, on whatever pod of the namespace, and returns its status when it is finished. */
    public TaskSetStatus letEnd(Run run) {
        return letEnd(run::status, status -> Run.isTrue(status, ConditionType.Finished));
    }

    /** The same of a Task. */
    public TaskStatus letEnd(Tree tree) {
        return letEnd(tree::status, Tree::isFinished);
    }

    /** The same of a map-reduce job. */
    public MapReduceJobStatus letEnd(Job job) {
        return letEnd(job::status, Job::isFinished);
    }

    private <T> T letEnd(Supplier<T> status, Predicate<T> finished) {
        return Awaitility.await("it is finished")
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> {
                            space.pods().forEach(this::openIfItCan);
                            return status.get();
                        },
                        finished);
    }

    /** A pod that is on its way out, or not there yet, takes no command. */
    private void openIfItCan(Pod pod) {
        try {
            open(pod);
        } catch (IllegalStateException e) {
            LOG.info("{} takes no command: {}", pod.getMetadata().getName(), e.getMessage());
        }
    }
}
