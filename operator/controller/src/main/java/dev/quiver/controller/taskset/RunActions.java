package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;

import dev.quiver.controller.Doors;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.crds.v1alpha1.Slots;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.WorkerTemplate;
import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.taskset.Ending;
import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/** Carries out a run's next step. Every act can be repeated. Thread-safe. */
record RunActions(Doors doors, SourceReader sources, OwnPool ownPool) {

    /**
     * What came of it.
     *
     * @param step the step as it turned out
     * @param changed whether Redis is to be asked again before the status is computed
     * @param sourceHash of the source that was read
     * @param resubmitted whether the run began anew after a loss
     */
    record Applied(RunStep step, boolean changed, Optional<String> sourceHash, boolean resubmitted) {
        static Applied asPlanned(RunStep step) {
            return new Applied(step, false, Optional.empty(), false);
        }
    }

    Applied apply(RunView view, RunStep step) {
        return switch (step) {
            case RunStep.Accept accept -> accept(view, accept);
            case RunStep.Steer steer -> steer(view, steer);
            case RunStep.Retire retire -> retire(view, retire);
            case RunStep.Conclude _, RunStep.Hold _ -> Applied.asPlanned(step);
        };
    }

    private Applied accept(RunView view, RunStep.Accept accept) {
        return switch (sources.read(view.set(), check(view))) {
            case SourceReading.NotFound(String message) ->
                Applied.asPlanned(new RunStep.Hold(TaskSetReason.SourceNotFound, message));
            case SourceReading.Invalid(var reason, String message) -> invalid(view, reason, message);
            case SourceReading.Read(Source source) -> intake(view, accept, source);
        };
    }

    private Applied intake(RunView view, RunStep.Accept accept, Source source) {
        Optional<String> recorded = Optional.ofNullable(view.before().sourceHash());
        Optional<String> hash = Optional.of(source.hash());
        boolean mayChange = source.kind() instanceof ExecutionSpec.TaskSource.Lines;
        if (mayChange && recorded.isEmpty()) {
            recordIntent(view, hash);
        }
        RunStep.Hold waiting = new RunStep.Hold(
                TaskSetReason.Accepting,
                "Redis went away while the tasks were being accepted; it goes on when it is back.");
        Optional<RunStep> otherwise = doors.store()
                .ask(
                        () -> RunIntake.into(control(view), view, source, recorded)
                                .map(RunStep.class::cast),
                        away -> Optional.of(waiting));
        if (otherwise.isPresent()) {
            return new Applied(otherwise.get(), true, hash, false);
        }
        followPool(view);
        return new Applied(accept, true, hash, accept.resubmitted());
    }

    /** An intake that stops in the middle must not go on with another source: its hash is on record first. */
    private void recordIntent(RunView view, Optional<String> hash) {
        RunStep.Hold accepting = new RunStep.Hold(TaskSetReason.Accepting, TaskSetReason.Accepting.sentence());
        doors.setStatus().write(view.set(), RunStatus.of(view, accepting, hash), Change.AT_ONCE);
    }

    private static TaskCheck check(RunView view) {
        long slotBytes = view.workers()
                .serving()
                .map(pool -> pool.getSpec().slots())
                .or(() -> view.spec().ownWorkers().map(WorkerTemplate::slots))
                .map(Slots::inputBytes)
                .orElse(Long.MAX_VALUE);
        return new TaskCheck(view.spec().task().handlerName(), slotBytes);
    }

    private Applied invalid(RunView view, TaskSetReason reason, String message) {
        if (view.store().snapshot().isEmpty()) {
            return Applied.asPlanned(new RunStep.Conclude(reason, message));
        }
        RunStep step = new RunStep.Steer(List.of(new Ending.Fail(reason.name(), message)), false);
        return apply(view, step);
    }

    private Applied steer(RunView view, RunStep.Steer steer) {
        TaskSet set = view.set();
        boolean told = doors.store()
                .ask(
                        () -> {
                            TaskSetControl control = control(view);
                            if (steer.adjust()) {
                                control.adjust(
                                        set.getMetadata().getUid(),
                                        RunOpening.maxWorkers(set.getSpec()),
                                        RunOpening.deadline(set.getSpec()));
                            }
                            steer.endings()
                                    .forEach(e -> control.end(set.getMetadata().getUid(), e));
                            return true;
                        },
                        away -> false);
        boolean over = view.store().snapshot().filter(s -> s.status().isFinal()).isPresent();
        if (!over) {
            followPool(view);
        }
        return new Applied(steer, !told || !steer.endings().isEmpty(), Optional.empty(), false);
    }

    private Applied retire(RunView view, RunStep.Retire retire) {
        if (retire.stillGoing()) {
            doors.store()
                    .ask(
                            () -> control(view).end(view.set().getMetadata().getUid(), new Ending.Cancel()) != null,
                            away -> false);
        }
        if (view.workers() instanceof WorkersSight.Own(var pool)) {
            pool.ifPresent(ownPool::remove);
        }
        return Applied.asPlanned(retire);
    }

    private void followPool(RunView view) {
        if (view.workers() instanceof WorkersSight.Own(var pool)) {
            view.spec().ownWorkers().ifPresent(template -> ownPool.follow(view.set(), template, pool));
        }
    }

    private TaskSetControl control(RunView view) {
        TaskSet set = view.set();
        Keyspace keyspace = doors.runs()
                .keyspace(set.getMetadata().getUid())
                .orElseGet(() -> Keyspace.ofNamespace(set.getMetadata().getNamespace()));
        return doors.store().runs(keyspace);
    }
}
