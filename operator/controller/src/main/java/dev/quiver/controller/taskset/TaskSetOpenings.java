package dev.quiver.controller.taskset;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.controller.run.RunRecords;
import dev.quiver.controller.taskset.source.InputMapper;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** Maps a TaskSet's spec to the opening of the Redis contract. Pure. */
final class TaskSetOpenings {

    /** A task whose workers die three times is taken for the cause. */
    private static final int MAX_LOST = 3;

    private TaskSetOpenings() {}

    /**
     * The opening.
     *
     * @param namespaceUid of a run that is recorded, empty where nobody knows it; absent: the run is not recorded
     */
    static TaskSetOpening of(TaskSetView view, Source source, Optional<String> namespaceUid) {
        TaskSet set = view.set();
        TaskSetSpec spec = set.getSpec();
        ExecutionSpec execution = new ExecutionSpec(
                        set.getMetadata().getName(),
                        execution(spec.task()),
                        spec.task().env().stream()
                                .map(e -> new EnvVar(e.name(), e.value()))
                                .toList(),
                        InputMapper.ofSet(set),
                        source.kind(),
                        spec.task().activeDeadline())
                .batched(Optional.ofNullable(spec.task().batch()))
                .recorded(namespaceUid.flatMap(uid -> recording(spec)));
        return new TaskSetOpening(
                set.getMetadata().getUid(),
                set.poolName(),
                execution,
                new TaskSetLimits(spec.maxTrials(), MAX_LOST, spec.maxFailedTasks(), deadline(spec)),
                maxWorkers(spec),
                0,
                view.wantsSuspension(),
                execution.recording().map(_ -> record(set, source, namespaceUid.orElseThrow())));
    }

    /** The recorded parts of each trial; absent if the spec wants no record. */
    static Optional<Recording> recording(TaskSetSpec spec) {
        return RunRecords.recording(spec.historyOrDefault())
                .map(how -> how.as(spec.task().resultFormat().map(format -> switch (format) {
                    case Json -> Recording.Format.JSON;
                    case Bytes -> Recording.Format.BYTES;
                    case Arrow -> Recording.Format.ARROW;
                })));
    }

    private static RunRecord record(TaskSet set, Source source, String namespaceUid) {
        TaskSetSpec spec = set.getSpec();
        RunHistory history = spec.historyOrDefault();
        return new RunRecord(
                RunRecords.opening(
                        set,
                        namespaceUid,
                        history,
                        set.poolName(),
                        spec.namedClass(),
                        Math.max(source.kind().tasks(), source.payloads().size()),
                        Optional.of(source.hash())),
                history.whenFull() == RunHistory.WhenFull.Wait);
    }

    private static Execution execution(TaskTemplate task) {
        return task.handlerName()
                .<Execution>map(Execution.Handler::new)
                .orElseGet(() ->
                        new Execution.Command(task.command(), task.args(), Optional.ofNullable(task.workingDir())));
    }

    /**
     * The most workers of a run. Its own workers are bounded by its pool; of a shared pool it may use spec.replicas.
     */
    static int maxWorkers(TaskSetSpec spec) {
        return spec.sharedPool().isPresent() ? spec.replicas() : 0;
    }

    static Duration deadline(TaskSetSpec spec) {
        return spec.activeDeadline().orElse(Duration.ZERO);
    }
}
