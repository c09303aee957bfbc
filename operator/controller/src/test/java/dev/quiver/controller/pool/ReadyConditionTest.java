package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import io.fabric8.kubernetes.api.model.Condition;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class ReadyConditionTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void wordsThatEndInAFullStopGetNoSecond() {
        Condition ready = ready(
                Samples.pool("p", 2),
                refused("exceeded quota."),
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
        Condition ready =
                ready(pool, refused("exceeded quota"), pod(PodStage.TERMINATING, ""), pod(PodStage.READY, ""));
        assertThat(ready.getStatus()).isEqualTo("False");
        assertThat(ready.getReason()).isEqualTo("Deleting");
        assertThat(ready.getMessage()).isEqualTo("The pool is being deleted.");
    }

    @Test
    void whyAPodWasReplacedIsToldUntilOneIsReady() {
        String message = "container prep ends again and again, last with exit code 3";
        PoolPlan plan = PoolPlanBuilder.builder()
                .deletions(List.of(new PoolPlan.Deletion(pod(PodStage.CRASHING, message), PoolPlan.Cause.REPLACED)))
                .build();
        PoolMemory memory = PoolMemory.EMPTY.replaced(plan, NOW);
        Condition next = ready(Samples.pool("p", 1), memory, pod(PodStage.STARTING, ""));
        assertThat(next.getReason()).isEqualTo("ContainersCrashing");
        assertThat(next.getMessage()).isEqualTo("0 of 1 pods are ready. The pod before was replaced: " + message + ".");

        Condition crashing = ready(Samples.pool("p", 1), memory, pod(PodStage.CRASHING, message));
        assertThat(crashing.getMessage()).isEqualTo("0 of 1 pods are ready. 1 pod: " + message + ".");

        assertThat(ready(Samples.pool("p", 2), memory, pod(PodStage.READY, "")).getReason())
                .isEqualTo("ScalingUp");
        assertThat(ready(Samples.pool("p", 2), memory.recovered(), pod(PodStage.STARTING, ""))
                        .getReason())
                .isEqualTo("ScalingUp");
    }

    @Test
    void aPodThatWasEvictedOrFellSilentSaysNothingOfTheNext() {
        PoolPlan plan = PoolPlanBuilder.builder()
                .deletions(List.of(
                        new PoolPlan.Deletion(pod(PodStage.ENDED, "Evicted"), PoolPlan.Cause.REPLACED),
                        new PoolPlan.Deletion(pod(PodStage.UNREADY, "slow"), PoolPlan.Cause.REPLACED)))
                .build();
        assertThat(PoolMemory.EMPTY.replaced(plan, NOW).replaced()).isEmpty();
    }

    private static PoolMemory refused(String message) {
        return PoolMemory.EMPTY.with(Optional.of(new Refusal(1, false, message, 1, NOW)));
    }

    private static Condition ready(WorkerPool pool, PoolMemory memory, WorkerPod... pods) {
        PoolView view = PoolViewBuilder.builder()
                .pool(pool)
                .before(WorkerPoolStatusBuilder.builder().build())
                .hash("h")
                .pods(List.of(pods))
                .blocker(Optional.empty())
                .store(new StoreState.Up(NOW))
                .registry(Optional.empty())
                .prefix(new GrantedPrefixes.Use.None())
                .now(NOW)
                .build();
        Conditions fresh = new Conditions(List.of(), 1, NOW);
        ReadyCondition.set(view, memory, fresh);
        return fresh.list().getFirst();
    }

    private static WorkerPod pod(PodStage stage, String message) {
        return new WorkerPod(
                "p-0",
                "uid",
                "h",
                NOW,
                stage,
                message,
                Optional.empty(),
                OptionalInt.empty(),
                false,
                Optional.empty(),
                false,
                Optional.empty(),
                Optional.empty());
    }
}
