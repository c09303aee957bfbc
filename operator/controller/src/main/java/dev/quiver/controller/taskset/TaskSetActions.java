package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.controller.taskset.source.SourceReader;
import dev.quiver.crds.v1alpha1.Slots;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.WorkerTemplate;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.task.scheduling.SourcePlaces;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** Carries out a TaskSet's plan. Every act can be repeated. Thread-safe. */
record TaskSetActions(
        TaskSetContext context, SourceReader sources, ChildPool childPool, EarlierRuns earlier, SetOrders orders) {

    private static final Semaphore LISTS = new Semaphore(1);

    /**
     * The result.
     *
     * @param plan the plan, as changed by the act
     * @param changed whether Redis is to be asked again before the status is computed
     * @param sourceHash of the source that was read
     * @param resubmitted whether the run began anew after a loss
     * @param synced whether Redis has the limits and the state of the spec now
     */
    record Applied(
            TaskSetPlan plan, boolean changed, Optional<String> sourceHash, boolean resubmitted, boolean synced) {
        static Applied asPlanned(TaskSetPlan plan) {
            return new Applied(plan, false, Optional.empty(), false, false);
        }
    }

    Applied apply(TaskSetView view, TaskSetPlan plan) {
        return switch (plan) {
            case TaskSetPlan.Accept accept -> accept(view, accept);
            case TaskSetPlan.Steer steer -> steer(view, steer);
            case TaskSetPlan.Retire retire -> retire(view, retire);
            case TaskSetPlan.Conclude _, TaskSetPlan.Hold _ -> Applied.asPlanned(plan);
        };
    }

    private Applied accept(TaskSetView view, TaskSetPlan.Accept accept) {
        return view.spec().source().hasProgram()
                ? program(view, accept)
                : accept(view, accept, sources.read(view.set(), slotBytes(view)));
    }

    private Applied accept(TaskSetView view, TaskSetPlan.Accept accept, SourceReader.Result read) {
        return switch (read) {
            case SourceReader.Result.NotFound(String message) ->
                Applied.asPlanned(new TaskSetPlan.Hold(TaskSetReason.SourceNotFound, message));
            case SourceReader.Result.Invalid(var reason, String message) -> invalid(view, reason, message);
            case SourceReader.Result.Read(Source source) ->
                view.spec().repeats().isEmpty() ? intake(view, accept, source) : again(view, accept, source);
        };
    }

    /** Runs the program that names the tasks, and accepts these. */
    private Applied program(TaskSetView view, TaskSetPlan.Accept accept) {
        Optional<SourceReader.Result> fault = SourceReader.faultOfProgram(view.set(), slotBytes(view));
        if (fault.isPresent()) {
            return accept(view, accept, fault.get());
        }
        SourceProgram program = new SourceProgram(control(view), view);
        SourceProgram.State state = calls().ask(
                        program::look,
                        away -> new SourceProgram.State.GoesOn(refused(away).message()));
        return switch (state) {
            case SourceProgram.State.GoesOn(String message) -> {
                TaskSetReason reason =
                        view.wantsSuspension() ? TaskSetReason.Suspended : TaskSetReason.WaitingForSource;
                TaskSetPlan.Hold hold = new TaskSetPlan.Hold(reason, message);
                yield Applied.asPlanned(followPool(view).orElse(hold));
            }
            case SourceProgram.State.Failed(String message) -> invalid(view, TaskSetReason.SourceFailed, message);
            case SourceProgram.State.Ended() -> listed(view, accept, program);
        };
    }

    /** A list may be large, and this process is small: one at a time. */
    private Applied listed(TaskSetView view, TaskSetPlan.Accept accept, SourceProgram program) {
        if (!LISTS.tryAcquire()) {
            return Applied.asPlanned(
                    new TaskSetPlan.Hold(TaskSetReason.Accepting, "The list of another TaskSet is being read."));
        }
        try {
            Applied applied = calls().<Supplier<Applied>>ask(
                            () -> {
                                SourceReader.Result read =
                                        SourceReader.listed(view.set(), slotBytes(view), program.lines());
                                return () -> accept(view, accept, read);
                            },
                            away -> () -> Applied.asPlanned(refused(away)))
                    .get();
            if (applied.synced()) {
                calls().tryRun(program::dropOnceRead);
            }
            return applied;
        } finally {
            LISTS.release();
        }
    }

    /** Takes the tasks of the source that did not pass in the run that this one repeats. */
    private Applied again(TaskSetView view, TaskSetPlan.Accept accept, Source whole) {
        String other = view.spec().repeats().orElseThrow();
        EarlierRuns.Picked picked = calls().ask(
                        () -> earlier.pick(view.set().getMetadata().getNamespace(), whole, other),
                        away -> new EarlierRuns.Picked.Waits(refused(away).message()));
        return switch (picked) {
            case EarlierRuns.Picked.Tasks(var numbers) -> intake(view, accept, whole.pick(numbers));
            case EarlierRuns.Picked.Waits(String why) -> waits(TaskSetReason.WaitingForRun, why);
            case EarlierRuns.Picked.Unread(String why) -> waits(TaskSetReason.RecordNotRead, why);
        };
    }

    private static Applied waits(TaskSetReason reason, String why) {
        return Applied.asPlanned(new TaskSetPlan.Hold(reason, "spec.onlyFailedOf: " + why + "."));
    }

    private Applied intake(TaskSetView view, TaskSetPlan.Accept accept, Source source) {
        Optional<String> recorded = Optional.ofNullable(view.before().sourceHash());
        Optional<String> hash = Optional.of(source.hash());
        if (!onRecord(view, accept, source)) {
            recordIntent(view, hash);
        }
        Optional<String> namespaceUid = TaskSetOpenings.recording(view.spec())
                .flatMap(how ->
                        context.shared().recording().of(view.set().getMetadata().getNamespace()));
        SetOrders.Found found = orders.of(view, source);
        found.missing().ifPresent(why -> context.reporter().publish(view.set(), TaskSetEvents.estimatesMissing(why)));
        Optional<String> once = orders.copiesMissing(view);
        once.ifPresent(why -> context.reporter().publish(view.set(), TaskSetEvents.speculationOff(why)));
        UnaryOperator<TaskSetOpening> dispatch = opening ->
                opening.ordered(found.order()).speculating(view.spec().speculates() && once.isEmpty());
        Optional<TaskSetPlan> otherwise = calls().ask(
                        () -> TaskSetIntake.into(control(view), view, source, dispatch, namespaceUid, recorded)
                                .map(TaskSetPlan.class::cast)
                                .or(() -> {
                                    place(view);
                                    return Optional.empty();
                                }),
                        away -> Optional.of(refused(away)));
        if (otherwise.isPresent()) {
            return new Applied(otherwise.get(), true, hash, false, false);
        }
        TaskSetPlan plan = followPool(view).map(TaskSetPlan.class::cast).orElse(accept);
        return new Applied(plan, true, hash, accept.resubmitted(), true);
    }

    /** Boosts concern it from now on. */
    private void place(TaskSetView view) {
        TaskSet set = view.set();
        if (isPlaced(set)) {
            places(view.keyspace())
                    .place(set.poolName(), set.getMetadata().getUid(), TaskSetOpenings.rank(set.getSpec()));
        }
    }

    /** Whether it has tags or resources, or may have had some: any other set is opened where it belongs. */
    private static boolean isPlaced(TaskSet set) {
        Long generation = set.getMetadata().getGeneration();
        return !set.getSpec().tags().isEmpty()
                || !set.getSpec().resources().isEmpty()
                || generation != null && generation > 1;
    }

    private SourcePlaces places(Keyspace keyspace) {
        return context.places().apply(keyspace);
    }

    private static TaskSetPlan.Hold refused(StoreState.Away away) {
        return new TaskSetPlan.Hold(
                TaskSetReason.Accepting,
                "Redis does not take the tasks (" + away.reason() + "), they are sent again until it does: "
                        + away.message());
    }

    /**
     * Whether the status has the facts that cannot be found out after a crash. These are the hash of the source of an
     * interrupted intake, and the keyspace if its pool is deleted.
     */
    private static boolean onRecord(TaskSetView view, TaskSetPlan.Accept accept, Source source) {
        Optional<String> recorded = Optional.ofNullable(view.before().sourceHash());
        boolean mayChange = source.kind() instanceof ExecutionSpec.TaskSource.Lines
                || source.kind() instanceof ExecutionSpec.TaskSource.Picked;
        boolean anotherSource = mayChange
                && (recorded.isEmpty()
                        || accept.resubmitted() && !recorded.get().equals(source.hash()));
        boolean elsewhere = view.before().keyspace() == null
                && Keyspaces.name(view.keyspace()).isPresent();
        return !anotherSource && !elsewhere;
    }

    private void recordIntent(TaskSetView view, Optional<String> hash) {
        TaskSetPlan.Hold accepting = new TaskSetPlan.Hold(TaskSetReason.Accepting, TaskSetReason.Accepting.sentence());
        context.reporter().write(view.set(), TaskSetStatusCalculator.of(view, accepting, hash), Change.AT_ONCE);
    }

    private static long slotBytes(TaskSetView view) {
        return view.workers()
                .serving()
                .map(pool -> pool.getSpec().slots())
                .or(() -> view.spec().ownWorkers().map(WorkerTemplate::slots))
                .map(Slots::inputBytes)
                .orElse(Long.MAX_VALUE);
    }

    private Applied invalid(TaskSetView view, TaskSetReason reason, String message) {
        if (view.store().snapshot().isEmpty()) {
            return Applied.asPlanned(new TaskSetPlan.Conclude(reason, message));
        }
        TaskSetPlan plan = new TaskSetPlan.Steer(List.of(new StatusChange.Fail(reason.name(), message)), false);
        return apply(view, plan);
    }

    private Applied steer(TaskSetView view, TaskSetPlan.Steer steer) {
        TaskSet set = view.set();
        boolean synced = calls().tryRun(() -> {
            TaskSetControl control = control(view);
            if (steer.adjust()) {
                control.adjust(
                        set.getMetadata().getUid(),
                        TaskSetOpenings.maxWorkers(set.getSpec()),
                        TaskSetOpenings.maxParallel(set.getSpec()),
                        TaskSetOpenings.deadline(set.getSpec()));
            }
            steer.endings().forEach(e -> control.changeStatus(set.getMetadata().getUid(), e));
            if (steer.adjust()) {
                place(view); // last: keys of the pool that a tenant broke must not keep a run from its end
            }
        });
        boolean over = view.store().snapshot().filter(s -> s.status().isFinal()).isPresent();
        TaskSetPlan plan = (over ? Optional.<TaskSetPlan.Hold>empty() : followPool(view))
                .map(TaskSetPlan.class::cast)
                .orElse(steer);
        return new Applied(plan, !synced || !steer.endings().isEmpty(), Optional.empty(), false, synced);
    }

    private Applied retire(TaskSetView view, TaskSetPlan.Retire retire) {
        if (retire.stillGoing()) {
            calls().tryRun(() ->
                    control(view).changeStatus(view.set().getMetadata().getUid(), new StatusChange.Cancel()));
        }
        if (view.spec().source().hasProgram()) {
            calls().tryRun(() -> new SourceProgram(control(view), view).drop());
        }
        if (view.workers() instanceof ObservedPool.Own(var pool)) {
            pool.ifPresent(childPool::remove);
        }
        return Applied.asPlanned(retire);
    }

    /**
     * Sets the tombstone and deletes the keys first, so that late calls of workers are refused; then deletes the
     * workers. The record hears of it where it is to go as well. False without Redis.
     */
    boolean drop(TaskSet set, Keyspace keyspace, ObservedPool workers) {
        String uid = set.getMetadata().getUid();
        boolean dropped = calls().tryRun(() -> {
            if (set.getSpec().source().hasProgram()) {
                context.control().apply(keyspace).drop(TaskSetControl.listing(uid));
            }
            context.control().apply(keyspace).drop(uid);
            if (set.getSpec().historyOrDefault().forgets()) {
                context.shared().recording().deleted(keyspace, List.of(uid));
            }
        });
        if (workers instanceof ObservedPool.Own(var pool)) {
            pool.ifPresent(childPool::remove);
        }
        return dropped;
    }

    /** The hold of the run, if the API server refuses its pool. */
    private Optional<TaskSetPlan.Hold> followPool(TaskSetView view) {
        if (!(view.workers() instanceof ObservedPool.Own(var pool))) {
            return Optional.empty();
        }
        return view.spec()
                .ownWorkers()
                .flatMap(template -> childPool.follow(view.set(), template, pool))
                .map(message -> new TaskSetPlan.Hold(
                        TaskSetReason.WorkerPoolRefused,
                        "The API server refuses WorkerPool " + view.set().poolName() + ": " + message));
    }

    private StoreCalls calls() {
        return context.shared().calls();
    }

    private TaskSetControl control(TaskSetView view) {
        return context.control().apply(view.keyspace());
    }
}
