package dev.quiver.controller.taskset;

import static dev.quiver.controller.taskset.TaskSetViews.ACCEPTED;
import static dev.quiver.controller.taskset.TaskSetViews.ended;
import static dev.quiver.controller.taskset.TaskSetViews.finished;
import static dev.quiver.controller.taskset.TaskSetViews.nightly;
import static dev.quiver.controller.taskset.TaskSetViews.run;
import static dev.quiver.controller.taskset.TaskSetViews.view;
import static dev.quiver.controller.taskset.TaskSetViews.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.taskset.TaskSetState;

/** The message that a person reads about a run whose tasks wait. */
class WaitingMessageTest {

    @Test
    void whatTheTasksWaitForIsSaid() {
        TaskSetView view = view(
                s -> s.workerTemplate(null).workerPoolRef(new WorkerPoolRef("shared")),
                ACCEPTED,
                Optional.of(run(10, 9, 0, 0)));
        WorkerPool busy = shared(1);
        busy.setStatus(
                WorkerPoolStatusBuilder.builder().readyReplicas(1).busySlots(4).build());
        Condition behind = finished(with(view, new ObservedPool.Shared(busy)));
        assertThat(behind.getReason()).isEqualTo("WaitingForWorkers");
        assertThat(behind.getMessage())
                .isEqualTo("1 task waits for a free slot: the workers of WorkerPool shared are busy with other runs.");

        Condition empty = finished(with(view, new ObservedPool.Shared(shared(0))));
        assertThat(empty.getReason()).isEqualTo("WaitingForWorkers");
        assertThat(empty.getMessage())
                .isEqualTo("1 task waits and no worker is ready. WorkerPool shared has spec.replicas: 0.");

        TaskSetView calls = view(
                s -> s.workerTemplate(null)
                        .workerPoolRef(new WorkerPoolRef("shared"))
                        .task(TaskTemplate.ofHandler("resize")),
                ACCEPTED,
                Optional.of(run(10, 0, 0, 0)));
        WorkerPool silent = shared(1);
        silent.setSpec(WorkerPoolSpecBuilder.builder(silent.getSpec())
                .handler(new Handler(List.of("serve")))
                .build());
        silent.setStatus(WorkerPoolStatusBuilder.builder().readyReplicas(1).build());
        Condition unheard = finished(with(calls, new ObservedPool.Shared(silent)));
        assertThat(unheard.getReason()).isEqualTo("WaitingForWorkers");
        assertThat(unheard.getMessage()).contains("has announced its handlers yet");
    }

    @Test
    void aSharedPoolThatIsGoneOrElsewhereIsSaid() {
        TaskSetView view = view(
                s -> s.workerTemplate(null).workerPoolRef(new WorkerPoolRef("p")),
                ACCEPTED,
                Optional.of(run(10, 4, 0, 0)));
        TaskSetView missing = with(view, new ObservedPool.Missing("p"));
        Condition gone = finished(missing);
        assertThat(gone.getReason()).isEqualTo("WorkerPoolNotFound");
        assertThat(gone.getMessage()).contains("spec.workerPoolRef.name", "no WorkerPool p any more", "6 tasks wait");
        Condition elsewhere = finished(with(view, new ObservedPool.Shared(nightly())));
        assertThat(elsewhere.getReason()).isEqualTo("WaitingForWorkers");
        assertThat(elsewhere.getMessage()).contains("has keyspace nightly now", "in the keyspace of the namespace");
    }

    @Test
    void aRunThatHadNoWorkerWhenItsTimeRanOutSaysWhy() {
        TaskSetView late = view(
                s -> s.activeDeadlineSeconds(60L),
                ACCEPTED,
                Optional.of(ended(run(10, 0, 0, 0), TaskSetState.FAILED, "DeadlineExceeded")));
        WorkerPool pool = shared(1);
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .conditions(List.of(new ConditionBuilder()
                        .withType("Ready")
                        .withStatus("False")
                        .withReason("ImagePullFailed")
                        .withMessage("0 of 1 pods are ready. 1 pod: container worker: image x:1 cannot be pulled: no.")
                        .build()))
                .build());
        Condition end = finished(with(late, new ObservedPool.Own(Optional.of(pool))));
        assertThat(end.getReason()).isEqualTo("DeadlineExceeded");
        assertThat(end.getMessage())
                .startsWith("The run took longer than spec.activeDeadlineSeconds: 60.")
                .endsWith("WorkerPool shared: ImagePullFailed: 0 of 1 pods are ready. 1 pod: container worker: image"
                        + " x:1 cannot be pulled: no.");

        pool.setStatus(WorkerPoolStatusBuilder.builder(pool.getStatus())
                .readyReplicas(1)
                .build());
        assertThat(finished(with(late, new ObservedPool.Own(Optional.of(pool)))).getMessage())
                .as("its workers were there")
                .doesNotContain("WorkerPool shared");
    }

    private static WorkerPool shared(int replicas) {
        WorkerPool pool = Samples.pool("shared", replicas);
        pool.getMetadata().setNamespace("team");
        return pool;
    }
}
