package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import io.fabric8.kubernetes.api.model.Condition;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class ReadyConditionTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void wordsThatEndInAFullStopGetNoSecond() {
        Condition ready = ready(
                Samples.pool("p", 2),
                Optional.of(new Refusal(1, false, "exceeded quota.", 1, NOW)),
                pod(PodStage.UNSCHEDULABLE, "no node can take the pod: no preemption victims found for incoming pod."),
                pod(PodStage.CRASHING, "container prep ends again and again, last with exit code 3"));
        assertThat(ready.getMessage())
                .startsWith("0 of 2 pods are ready. The API server refuses more: exceeded quota. 1 pod:")
                .contains("found for incoming pod.", "last with exit code 3.")
                .doesNotContain("..");
    }

    @Test
    void aPoolThatIsBeingDeletedSaysSoWhateverItsPodsDo() {
        WorkerPool pool = Samples.pool("p", 2);
        pool.getMetadata().setDeletionTimestamp(NOW.toString());
        Condition ready = ready(
                pool,
                Optional.of(new Refusal(1, false, "exceeded quota", 1, NOW)),
                pod(PodStage.TERMINATING, ""),
                pod(PodStage.READY, ""));
        assertThat(ready.getStatus()).isEqualTo("False");
        assertThat(ready.getReason()).isEqualTo("Deleting");
        assertThat(ready.getMessage()).isEqualTo("The pool is being deleted.");
    }

    private static Condition ready(WorkerPool pool, Optional<Refusal> refusal, WorkerPod... pods) {
        PoolView view = new PoolView(
                pool,
                WorkerPoolStatusBuilder.builder().build(),
                "h",
                List.of(pods),
                Optional.empty(),
                new StoreState.Up(NOW),
                Optional.empty(),
                NOW);
        Conditions fresh = new Conditions(List.of(), 1, NOW);
        ReadyCondition.set(view, refusal, fresh);
        return fresh.list().getFirst();
    }

    private static WorkerPod pod(PodStage stage, String words) {
        return new WorkerPod(
                "p-0",
                "uid",
                "h",
                NOW,
                stage,
                words,
                Optional.empty(),
                OptionalInt.empty(),
                false,
                Optional.empty(),
                false);
    }
}
