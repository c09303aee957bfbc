package dev.quiver.controller.taskset;

import static dev.quiver.controller.taskset.TaskSetViews.NONE;
import static dev.quiver.controller.taskset.TaskSetViews.run;
import static dev.quiver.controller.taskset.TaskSetViews.view;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;

/** A new leader compares with what the API server gives back: what is the same to readers is not written anew. */
class StatusComesBackTest {

    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    @Test
    void ofARunWithItsOwnPool() {
        comesBack(spec -> spec);
    }

    @Test
    void ofARunInASharedPool() {
        comesBack(spec -> spec.workerTemplate(null).workerPoolRef(new WorkerPoolRef("p")));
    }

    private static void comesBack(UnaryOperator<TaskSetSpecBuilder> spec) {
        TaskSetStatus fresh = TaskSetStatusCalculator.of(
                view(spec, NONE, Optional.of(run(10, 3, 1, 2))),
                new TaskSetPlan.Steer(List.of(), false),
                Optional.of("h"));
        TaskSetStatus read = JSON.unmarshal(JSON.asJson(fresh), TaskSetStatus.class);
        assertThat(read).isEqualTo(fresh);
        assertThat(TaskSetStatusCalculator.change(Optional.of(read), fresh)).isEqualTo(Change.NONE);
    }
}
