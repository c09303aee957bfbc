package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class PoolChangeTest {

    @Test
    void newWordsOfAPoolWithoutAReadyWorkerMatter() {
        WorkerPool before = pool(0, 1, "PodsUnschedulable", "no node has 4 CPU");
        assertThat(PoolChange.matters(pool(0, 1, "PodsUnschedulable", "no node has the label"), before))
                .isTrue();
        assertThat(PoolChange.matters(pool(0, 1, "PodsUnschedulable", "no node has 4 CPU"), before))
                .isFalse();
    }

    @Test
    void newWordsBesideAReadyWorkerDoNot() {
        assertThat(PoolChange.matters(
                        pool(1, 1, "PodsUnschedulable", "no node has the label"),
                        pool(1, 1, "PodsUnschedulable", "no node has 4 CPU")))
                .isFalse();
    }

    @Test
    void aSlotThatGetsBusyDoesNot() {
        assertThat(PoolChange.matters(pool(0, 2, "ScalingUp", "x"), pool(0, 1, "ScalingUp", "x")))
                .isFalse();
    }

    @Test
    void aReasonAndAReadyWorkerDo() {
        WorkerPool before = pool(1, 1, "ScalingUp", "x");
        assertThat(PoolChange.matters(pool(1, 1, "PodsUnschedulable", "x"), before))
                .isTrue();
        assertThat(PoolChange.matters(pool(2, 1, "ScalingUp", "x"), before)).isTrue();
    }

    private static WorkerPool pool(int ready, int busySlots, String reason, String message) {
        WorkerPool pool = Samples.pool("p", 2);
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .replicas(2)
                .readyReplicas(ready)
                .busySlots(busySlots)
                .conditions(List.of(new ConditionBuilder()
                        .withType("Ready")
                        .withStatus("False")
                        .withReason(reason)
                        .withMessage(message)
                        .build()))
                .build());
        return pool;
    }
}
