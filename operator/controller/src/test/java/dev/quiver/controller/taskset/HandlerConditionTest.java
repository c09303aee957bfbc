package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Condition;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;

class HandlerConditionTest {

    @Test
    void aRunOfCommandsSaysNothing() {
        assertThat(TaskSetHandler.of(view(TaskTemplate.ofCommand("true"), pool(true, 1, List.of()))))
                .isEmpty();
    }

    @Test
    void aPoolWithoutAHandlerProcessIsSaidAtOnce() {
        HandlerCondition said = resize(pool(false, 0, List.of()));
        assertThat(said.truth()).isEqualTo(ConditionStatus.False);
        assertThat(said.reason()).isEqualTo(HandlerReason.NoHandlerCommand);
        assertThat(said.message()).contains("spec.task.handler: \"resize\"", "pool shared has no handler.command");
    }

    @Test
    void withoutAWorkerThatSaidWhatItServesItIsUnknown() {
        assertThat(resize(pool(true, 0, List.of())).truth()).isEqualTo(ConditionStatus.Unknown);
        HandlerCondition starting = resize(pool(true, 2, List.of()));
        assertThat(starting.reason()).isEqualTo(HandlerReason.NoWorkers);
        assertThat(starting.message()).contains("2 are ready");
        assertThat(TaskSetHandler.of(view(TaskTemplate.ofHandler("resize"), Optional.empty()))
                        .orElseThrow()
                        .truth())
                .isEqualTo(ConditionStatus.Unknown);
    }

    @Test
    void aHandlerCommandThatDoesNotComeUpIsSaid() {
        Instant began = Instant.parse("2026-01-01T00:00:00Z");
        Optional<WorkerPool> silent = pool(true, 1, List.of());
        silent.get()
                .setStatus(WorkerPoolStatusBuilder.builder(silent.get().getStatus())
                        .conditions(new Conditions(List.of(), 1, began.plusSeconds(60))
                                .set(ConditionType.Ready, ConditionStatus.True, WorkerPoolReason.AllReplicasReady)
                                .list())
                        .build());
        List<Condition> unheard = new Conditions(List.of(), 1, began)
                .set(ConditionType.HandlerAvailable, ConditionStatus.Unknown, HandlerReason.NoWorkers)
                .list();
        TaskSetView starting = view(TaskTemplate.ofHandler("resize"), silent, unheard, began.plusSeconds(70));
        assertThat(TaskSetHandler.of(starting).orElseThrow().truth()).isEqualTo(ConditionStatus.Unknown);
        assertThat(TaskSetHandler.untilOverdue(starting))
                .as("since the pool is ready")
                .contains(Duration.ofSeconds(10));

        TaskSetView late = view(TaskTemplate.ofHandler("resize"), silent, unheard, began.plusSeconds(80));
        HandlerCondition said = TaskSetHandler.of(late).orElseThrow();
        assertThat(said.truth()).isEqualTo(ConditionStatus.False);
        assertThat(said.reason()).isEqualTo(HandlerReason.HandlerNotStarted);
        assertThat(said.message())
                .contains("handler.command has announced no function", "\"resize\"", "log of container worker");

        List<Condition> told = new Conditions(List.of(), 1, began)
                .set(ConditionType.HandlerAvailable, ConditionStatus.False, HandlerReason.HandlerNotStarted)
                .list();
        assertThat(TaskSetHandler.of(view(TaskTemplate.ofHandler("resize"), silent, told, began))
                        .orElseThrow()
                        .reason())
                .as("until one is heard of")
                .isEqualTo(HandlerReason.HandlerNotStarted);
    }

    @Test
    void whatNobodyServesIsSaidWithWhatIsServed() {
        HandlerCondition said = resize(pool(true, 1, List.of("a", "b")));
        assertThat(said.truth()).isEqualTo(ConditionStatus.False);
        assertThat(said.reason()).isEqualTo(HandlerReason.NotServed);
        assertThat(said.message()).isEqualTo("No worker of pool shared serves handler \"resize\"; served are: a, b.");
        List<String> many = IntStream.range(0, 63).mapToObj(i -> "h" + i).toList();
        assertThat(resize(pool(true, 1, many)).message()).endsWith("h11 and 51 more.");
    }

    @Test
    void aFullListLeavesOpenWhetherOneMoreIsServed() {
        List<String> full = IntStream.range(0, 64).mapToObj(i -> "h" + i).toList();
        HandlerCondition said = resize(pool(true, 1, full));
        assertThat(said.truth()).isEqualTo(ConditionStatus.Unknown);
        assertThat(said.reason()).isEqualTo(HandlerReason.HandlerListFull);
        assertThat(said.message()).contains("full, with 64 names", "\"resize\" is not among them");
    }

    @Test
    void aServedHandlerIsAvailable() {
        assertThat(resize(pool(true, 1, List.of("crop", "resize"))).truth()).isEqualTo(ConditionStatus.True);
    }

    private static HandlerCondition resize(Optional<WorkerPool> pool) {
        return TaskSetHandler.of(view(TaskTemplate.ofHandler("resize"), pool)).orElseThrow();
    }

    private static Optional<WorkerPool> pool(boolean withProcess, int ready, List<String> handlers) {
        WorkerPool pool = Samples.pool("shared", 2);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .handler(withProcess ? new Handler(List.of("serve")) : null)
                .build());
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .readyReplicas(ready)
                .handlers(handlers)
                .build());
        return Optional.of(pool);
    }

    private static TaskSetView view(TaskTemplate task, Optional<WorkerPool> pool) {
        return view(task, pool, List.of(), Instant.EPOCH);
    }

    private static TaskSetView view(TaskTemplate task, Optional<WorkerPool> pool, List<Condition> before, Instant now) {
        var set = Samples.set(
                "thumbnails",
                Samples.counted(3)
                        .workerTemplate(null)
                        .workerPoolRef(new WorkerPoolRef("shared"))
                        .task(task));
        return TaskSetViewBuilder.builder()
                .set(set)
                .before(TaskSetStatusBuilder.builder().conditions(before).build())
                .keyspace(Keyspace.ofNamespace("team"))
                .store(new ObservedStore.Answered<>(Optional.empty()))
                .workers(TaskSetView.workers(set, pool))
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(now)
                .build();
    }
}
