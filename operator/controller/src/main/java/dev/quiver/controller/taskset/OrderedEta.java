package dev.quiver.controller.taskset;

import java.util.Optional;

import dev.quiver.controller.run.EstimatedRest;
import dev.quiver.controller.run.Eta;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.taskset.OrderProgress;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/** The rest of a run that has an order, by the times of earlier runs. Pure. */
final class OrderedEta {

    private OrderedEta() {}

    /** Absent without an order, and while no slot works for the run. */
    static Optional<Eta> of(TaskSetView view, TaskSetSnapshot run) {
        return run.sourceClosed()
                ? run.order()
                        .flatMap(order -> new EstimatedRest(order.tasks(), order.given(), order.whole(), order.fresh())
                                .left(
                                        TaskSetView.progress(run),
                                        run.queued(),
                                        slots(view, run),
                                        run.succeeded(),
                                        run.passedRunTime()))
                : Optional.empty();
    }

    /** By how many percent an estimate is usually off; absent where nobody knows. */
    static Optional<Integer> errorPercent(TaskSetSnapshot run) {
        return run.order()
                .map(OrderProgress::errorPercent)
                .filter(error -> error.isPresent())
                .map(error -> error.getAsInt());
    }

    /** Slots that work for the run. A shared pool works for others too, so what runs is the share of the run. */
    private static long slots(TaskSetView view, TaskSetSnapshot run) {
        long ready = view.workers()
                .serving()
                .map(WorkerPool::getStatus)
                .map(status -> status.slots() == null ? 0L : status.slots())
                .orElse(0L);
        long own = view.workers() instanceof ObservedPool.Shared && run.running() > 0
                ? Math.min(ready, run.running())
                : ready;
        return view.spec().parallelTasks().map(most -> Math.min(own, most)).orElse(own);
    }
}
