package dev.quiver.controller.taskset;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.controller.run.RunRecords;
import dev.quiver.controller.taskset.source.InputMapper;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.crds.v1alpha1.EnvEntry;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetSpec;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TrialTimeouts;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** Maps a TaskSet's spec to the opening of the Redis contract. Pure. */
final class TaskSetOpenings {

    /** A task whose workers die three times is taken for the cause. */
    private static final int MAX_LOST = 3;

    private static final String SCHEDULED_TIME = Quiver.RESERVED_ENV_PREFIX + "SCHEDULED_TIME";

    /** A time to the minute, as the operator writes it; anybody may write an annotation. */
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:00Z";

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
                        environment(set, spec.task().env()),
                        InputMapper.ofSet(set),
                        source.kind(),
                        spec.task().activeDeadline())
                .failing(TaskSetFailures.rules(spec))
                .reporting(spec.task().reports())
                .limiting(Optional.ofNullable(spec.task().timeouts())
                        .map(its -> new TrialTimeouts(
                                Duration.ofSeconds(its.leastSeconds()), Duration.ofSeconds(its.unknownSeconds()))))
                .batched(Optional.ofNullable(spec.task().batch()))
                .recorded(namespaceUid.flatMap(uid -> recording(spec)));
        return new TaskSetOpening(
                set.getMetadata().getUid(),
                set.poolName(),
                execution,
                new TaskSetLimits(
                        spec.maxTrials(), MAX_LOST, TaskSetFailures.most(spec), maxParallel(spec), deadline(spec)),
                maxWorkers(spec),
                priority(spec),
                view.wantsSuspension(),
                source.hash(),
                Optional.empty(),
                execution.recording().map(_ -> record(set, source, namespaceUid.orElseThrow())),
                !spec.resources().isEmpty());
    }

    /**
     * The opening of the program that names the tasks: a source of one task, which has one trial.
     *
     * @param uid of that source
     */
    static TaskSetOpening ofProgram(TaskSetView view, String uid) {
        TaskSet set = view.set();
        TaskSource source = set.getSpec().source();
        ExecutionSpec execution = new ExecutionSpec(
                set.getMetadata().getName(),
                new Execution.Command(source.command(), source.args(), Optional.empty()),
                environment(set, source.env()),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(1),
                Optional.of(source.timeout()));
        return new TaskSetOpening(
                uid,
                set.poolName(),
                execution,
                new TaskSetLimits(1, MAX_LOST, 0, 0, Duration.ZERO),
                1,
                priority(set.getSpec()),
                view.wantsSuspension());
    }

    /** The variables, with that of a run of a schedule. */
    private static List<EnvVar> environment(TaskSet set, List<EnvEntry> entries) {
        Stream<EnvVar> own = entries.stream().map(e -> new EnvVar(e.name(), e.value()));
        Stream<EnvVar> due = Optional.ofNullable(set.getMetadata().getAnnotations())
                .map(notes -> notes.get(Quiver.SCHEDULED_TIME_ANNOTATION))
                .filter(time -> time.matches(TIME))
                .map(time -> new EnvVar(SCHEDULED_TIME, time))
                .stream();
        return Stream.concat(own, due).toList();
    }

    /** The recorded parts of each trial; absent if the spec wants no record. */
    static Optional<Recording> recording(TaskSetSpec spec) {
        return RunRecords.recording(spec.historyOrDefault())
                .map(how -> how.as(spec.task().resultFormat().map(format -> switch (format) {
                    case Json -> Recording.Format.JSON;
                    case Bytes, JUnit -> Recording.Format.BYTES;
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

    /** The most tasks that run at once; 0 for any number. */
    static int maxParallel(TaskSetSpec spec) {
        return spec.parallelTasks().orElse(0);
    }

    /** The priority of its own among the sources of its pool. */
    static int priority(TaskSetSpec spec) {
        return Optional.ofNullable(spec.relPriority()).orElse(0);
    }

    /** Its place among the sources of its pool. */
    static Rank rank(TaskSetSpec spec) {
        return new Rank(priority(spec), spec.tags(), Optional.empty(), spec.resources());
    }

    static Duration deadline(TaskSetSpec spec) {
        return spec.activeDeadline().orElse(Duration.ZERO);
    }
}
