package dev.quiver.controller.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetSnapshotBuilder;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.worker.TrialFailure;

/** Runs as they are looked at, for tests. */
final class TaskSetViews {

    static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");
    static final Keyspace KEYSPACE = Keyspace.ofNamespace("team");
    static final TaskSetStatus NONE = TaskSetStatusBuilder.builder().build();
    static final TaskSetStatus ACCEPTED =
            TaskSetStatusBuilder.builder().total(10L).succeeded(4L).build();

    private TaskSetViews() {}

    static TaskSetView view(
            UnaryOperator<TaskSetSpecBuilder> spec, TaskSetStatus before, Optional<TaskSetSnapshot> run) {
        TaskSet set = Samples.set("specs", spec.apply(Samples.counted(10)));
        set.getMetadata().setNamespace("team");
        set.getMetadata().setUid("u");
        set.getMetadata().setGeneration(1L);
        ObservedPool workers = set.getSpec().sharedPool().isPresent()
                ? new ObservedPool.Shared(pool("p"))
                : new ObservedPool.Own(Optional.empty());
        return TaskSetViewBuilder.builder()
                .set(set)
                .before(before)
                .keyspace(KEYSPACE)
                .store(new ObservedStore.Answered<>(run))
                .workers(workers)
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
    }

    static WorkerPool pool(String name) {
        WorkerPool pool = Samples.pool(name, 1);
        pool.getMetadata().setNamespace("team");
        return pool;
    }

    static TaskSetView with(TaskSetView view, ObservedPool workers) {
        return TaskSetViewBuilder.builder()
                .set(view.set())
                .before(view.before())
                .keyspace(view.keyspace())
                .store(view.store())
                .workers(workers)
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .now(NOW)
                .build();
    }

    static WorkerPool nightly() {
        WorkerPool pool = pool("p");
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .keyspace("nightly")
                .build());
        return pool;
    }

    static Condition finished(TaskSetView view) {
        TaskSetStatus status =
                TaskSetStatusCalculator.of(view, new TaskSetPlan.Steer(List.of(), false), Optional.empty());
        return Conditions.find(status.conditions(), ConditionType.Finished).orElseThrow();
    }

    static TaskSetSnapshot run(long total, long succeeded, long failed, long running) {
        long decided = succeeded + failed;
        List<TrialFailure> failures = failed == 0
                ? List.of()
                : List.of(new TrialFailure("7", 3, Optional.of(3), Optional.empty(), "NonZeroExit", "no", true));
        return new TaskSetSnapshot(
                "u",
                "tset-specs",
                TaskSetState.RUNNING,
                "",
                "",
                total,
                true,
                total - decided - running,
                running,
                succeeded,
                0,
                0,
                failed,
                decided,
                0,
                1,
                NOW.minusSeconds(600),
                Optional.of(NOW.minusSeconds(600)),
                Optional.empty(),
                Optional.of(NOW),
                Duration.ofSeconds(10 * decided),
                Duration.ofSeconds(10 * succeeded),
                NOW,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                failures);
    }

    /** The same run, of a source with that hash. */
    static TaskSetSnapshot read(TaskSetSnapshot r, String hash) {
        return TaskSetSnapshotBuilder.builder(r).sourceHash(Optional.of(hash)).build();
    }

    static TaskSetSnapshot ended(TaskSetSnapshot r, TaskSetState status, String reason) {
        return ended(r, status, reason, r.failures());
    }

    static TaskSetSnapshot ended(TaskSetSnapshot r, TaskSetState status, String reason, List<TrialFailure> failures) {
        return TaskSetSnapshotBuilder.builder(r)
                .status(status)
                .reason(reason)
                .message("")
                .sourceClosed(true)
                .lost(0)
                .workers(1)
                .finishedAt(Optional.of(NOW))
                .storeTime(NOW)
                .sourceHash(Optional.empty())
                .order(Optional.empty())
                .failures(failures)
                .build();
    }
}
