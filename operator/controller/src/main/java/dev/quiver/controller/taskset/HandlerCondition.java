package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;

import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Truth;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * Whether the function that a run names is served by a worker of its pool, in words; nothing for a run of commands.
 * Judged by what the pool's status lists. Pure.
 */
record HandlerCondition(Truth truth, TaskSetReason reason, String message) {

    private static final int NAMES_SHOWN = 12;

    static Optional<HandlerCondition> of(RunView view) {
        return view.spec().task().handlerName().map(name -> of(name, view));
    }

    /**
     * Of a run that is over and of which nothing was known: what was run was served, also where the run was quicker than
     * the pool's word about that. Empty when nothing was run, or something was known.
     */
    static Optional<HandlerCondition> ofOver(RunView view) {
        boolean known = Conditions.find(view.before().conditions(), ConditionType.HandlerAvailable)
                .filter(before -> !before.getStatus().equals(Truth.Unknown.name()))
                .isPresent();
        return view.spec()
                .task()
                .handlerName()
                .filter(name -> !known)
                .filter(name ->
                        view.store().snapshot().filter(run -> run.trials() > 0).isPresent())
                .map(name -> served(name, view.set().poolName()));
    }

    void set(Conditions fresh) {
        fresh.set(ConditionType.HandlerAvailable, truth, reason, message);
    }

    /** Whether it is known that nobody can run the tasks. */
    boolean unavailable() {
        return truth == Truth.False;
    }

    private static HandlerCondition of(String name, RunView view) {
        String poolName = view.set().poolName();
        Optional<WorkerPool> pool = view.workers().serving();
        if (pool.isPresent() && pool.get().getSpec().handlerProcess().isEmpty()) {
            return new HandlerCondition(
                    Truth.False,
                    TaskSetReason.NoHandlerCommand,
                    "spec.task.handler: \"" + name + "\": pool " + poolName
                            + " has no handler.command, so none of its workers serves any handler.");
        }
        List<String> served =
                pool.map(WorkerPool::getStatus).map(WorkerPoolStatus::handlers).orElse(List.of());
        if (served.contains(name)) {
            return served(name, poolName);
        }
        if (served.isEmpty()) {
            return new HandlerCondition(
                    Truth.Unknown,
                    TaskSetReason.NoWorkers,
                    "No worker of pool " + poolName + " has said yet what it serves; "
                            + view.workers().ready() + " are ready.");
        }
        if (served.size() >= WorkerPoolStatus.MAX_HANDLERS) {
            return new HandlerCondition(
                    Truth.Unknown,
                    TaskSetReason.HandlerListFull,
                    "The list of what pool " + poolName + " serves is full, with " + served.size()
                            + " names, and handler \"" + name + "\" is not among them.");
        }
        return new HandlerCondition(
                Truth.False,
                TaskSetReason.NotServed,
                "No worker of pool " + poolName + " serves handler \"" + name + "\"; served are: " + list(served)
                        + ".");
    }

    private static HandlerCondition served(String name, String poolName) {
        return new HandlerCondition(
                Truth.True,
                TaskSetReason.HandlerServed,
                "Workers of pool " + poolName + " serve handler \"" + name + "\".");
    }

    private static String list(List<String> served) {
        int more = served.size() - NAMES_SHOWN;
        return String.join(", ", served.subList(0, Math.min(served.size(), NAMES_SHOWN)))
                + (more > 0 ? " and " + more + " more" : "");
    }
}
