package dev.quiver.controller.taskset;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.controller.run.RecordClient;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.crds.v1alpha1.TaskOrder;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.TestTimes;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.ClaimOrder;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.WorkerRecord;

/**
 * Finds the order in which a run gives its tasks out, once, before it is opened. The run does not wait for it: without
 * an answer of history the tasks go out as the source has them. Thread-safe.
 *
 * @param record of earlier runs
 * @param pools of a keyspace
 * @param calls to Redis
 */
record SetOrders(RecordClient record, Function<Keyspace, PoolControl> pools, StoreCalls calls) {

    /**
     * The result.
     *
     * @param order absent: the order of the source
     * @param missing why there is none though the run asked for one, for people
     */
    record Found(Optional<ClaimOrder> order, Optional<String> missing) {

        private static final Found SOURCE = new Found(Optional.empty(), Optional.empty());

        private static Found missing(String why) {
            return new Found(Optional.empty(), Optional.of(why));
        }
    }

    /**
     * The reason, for people, for which no task of a run is copied though the run asked for it. Absent where tasks may be
     * copied, and where the run did not ask.
     */
    Optional<String> copiesMissing(TaskSetView view) {
        boolean asks = view.spec().speculates() && view.store().snapshot().isEmpty();
        return asks && mayHaveWorkersOfBefore(view)
                ? Optional.of("the pool may have workers of another release, which know no copies")
                : Optional.empty();
    }

    /** The order of a run; that of the source where it is open already, which keeps its own. */
    Found of(TaskSetView view, Source source) {
        Optional<String> runClass = view.spec().namedClass();
        if (view.spec().order() == TaskOrder.Source
                || runClass.isEmpty()
                || !record.isThere()
                || view.store().snapshot().isPresent()
                || SourceOrder.named(source) == 0) {
            return Found.SOURCE;
        }
        if (mayHaveWorkersOfBefore(view)) {
            return Found.missing("its pool may have workers of another release, which know no order");
        }
        TaskSet set = view.set();
        return switch (record.estimates(set.getMetadata().getNamespace(), runClass.get())) {
            case RecordClient.Answer.Known<TestTimes>(TestTimes estimates) ->
                new Found(SourceOrder.of(source, estimates), Optional.empty());
            case RecordClient.Answer.Nothing<TestTimes> _ -> Found.SOURCE;
            case RecordClient.Answer.Away<TestTimes>(String why) -> Found.missing(why);
        };
    }

    /**
     * Whether a worker of another release may give tasks of the run out: it knows one cursor, and would give some out
     * twice. A pod of an earlier template that has not joined yet may be one.
     */
    private boolean mayHaveWorkersOfBefore(TaskSetView view) {
        String pool = view.set().poolName();
        return calls.ask(
                () -> {
                    List<WorkerRecord> workers =
                            pools.apply(view.keyspace()).workers(List.of(pool)).getOrDefault(pool, List.of());
                    return workers.stream().anyMatch(SetOrders::isOfBefore)
                            || workers.size() < view.workers().replicas()
                                    && view.workers()
                                            .serving()
                                            .filter(SetOrders::isUpdated)
                                            .isEmpty();
                },
                _ -> true);
    }

    private static boolean isUpdated(WorkerPool pool) {
        if (pool.getStatus() == null) {
            return true;
        }
        int pods = Optional.ofNullable(pool.getStatus().replicas()).orElse(0);
        return Optional.ofNullable(pool.getStatus().updatedReplicas()).orElse(0) >= pods;
    }

    private static boolean isOfBefore(WorkerRecord worker) {
        return worker.library().filter(Lifecycle.LIBRARY.name()::equals).isEmpty();
    }
}
