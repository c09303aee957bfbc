package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class PoolMessagesTest {

    private static Condition condition(String type, String status, String reason, String message) {
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .build();
    }

    private static final Condition READY = condition("Ready", "True", "AllReplicasReady", "0 of 0 pods are ready.");
    private static final Condition PULLS = condition("Ready", "False", "ImagePullFailed", "No such image.");
    private static final Condition AT_ZERO = condition("Autoscaling", "True", "AtMinimum", "No task waits.");

    private static String why(int replicas, Autoscaling how, int pods, Condition... conditions) {
        WorkerPool pool = Samples.pool("p", replicas);
        pool.setSpec(
                WorkerPoolSpecBuilder.builder(pool.getSpec()).autoscaling(how).build());
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .replicas(pods)
                .conditions(List.of(conditions))
                .build());
        return PoolMessages.whyNotReady(pool);
    }

    @Test
    void aPoolWithoutReplicasSaysSo() {
        assertThat(why(0, null, 0, READY)).isEqualTo("WorkerPool p has spec.replicas: 0.");
        assertThat(why(0, new Autoscaling(5, Autoscaling.Mode.Report, null, null), 0, READY, AT_ZERO))
                .isEqualTo("WorkerPool p has spec.replicas: 0.");
    }

    @Test
    void aPoolThatFollowsItsWorkIsReadyAtZero() {
        Autoscaling follows = new Autoscaling(5, null, null, null);
        assertThat(why(0, follows, 0, READY, AT_ZERO)).isEqualTo("WorkerPool p: AtMinimum: No task waits.");
        assertThat(why(0, follows, 0, PULLS, AT_ZERO)).isEqualTo("WorkerPool p: ImagePullFailed: No such image.");
        assertThat(why(0, follows, 2, PULLS, AT_ZERO)).isEqualTo("WorkerPool p: ImagePullFailed: No such image.");
    }

    @Test
    void anotherPoolRepeatsWhyItIsNotReady() {
        assertThat(why(1, null, 1, PULLS)).isEqualTo("WorkerPool p: ImagePullFailed: No such image.");
        assertThat(why(1, null, 1)).isEmpty();
    }
}
