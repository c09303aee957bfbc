package dev.quiver.controller.tree;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TreeSpec;
import dev.quiver.crds.v1alpha1.TreeStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/**
 * Asks Redis for runs that are trees. Thread-safe.
 *
 * @param calls to Redis
 * @param problem why nothing is asked in a keyspace; absent for one that is on record
 * @param schedules the one of a keyspace and of a uid
 */
public record TreeReader(
        StoreCalls calls,
        Function<Keyspace, Optional<String>> problem,
        BiFunction<Keyspace, String, Optional<ScheduleReport>> schedules) {

    /**
     * The state in Redis.
     *
     * @param <T> the tree, with what its kind adds
     * @param tree that of the run; of a schedule that of its latest run
     * @param schedule where the spec has one and Redis answered
     */
    public record Look<T>(ObservedStore<T> tree, Optional<ScheduleReport> schedule) {

        private static <T> Look<T> away(StoreReason reason, String message) {
            return new Look<>(new ObservedStore.Away<>(reason, message), Optional.empty());
        }
    }

    /**
     * Looks at a run.
     *
     * @param before the status last written
     * @param layout of the tree; nothing is found where no prefix is granted
     * @param find the tree of that id
     */
    public <T> Look<T> look(
            HasMetadata run,
            TreeSpec spec,
            TreeStatus before,
            Keyspace keyspace,
            TreeLayout layout,
            Function<String, Optional<T>> find) {
        return problem.apply(keyspace)
                .map(message -> Look.<T>away(StoreReason.Unsupported, message))
                .orElseGet(() -> calls.ask(
                        () -> found(run, spec, before, keyspace, layout, find),
                        away -> Look.away(away.reason(), away.message())));
    }

    private <T> Look<T> found(
            HasMetadata run,
            TreeSpec spec,
            TreeStatus before,
            Keyspace keyspace,
            TreeLayout layout,
            Function<String, Optional<T>> find) {
        if (layout instanceof TreeLayout.Withheld) {
            return new Look<>(new ObservedStore.Answered<>(Optional.empty()), Optional.empty());
        }
        if (spec.recurring().isEmpty()) {
            return new Look<>(new ObservedStore.Answered<>(find.apply(TreeId.of(run, before))), Optional.empty());
        }
        Optional<ScheduleReport> schedule =
                schedules.apply(keyspace, run.getMetadata().getUid());
        Optional<String> latest =
                schedule.flatMap(there -> there.runs().stream().findFirst()).map(ScheduleReport.Run::tree);
        return new Look<>(new ObservedStore.Answered<>(latest.flatMap(find)), schedule);
    }

    /**
     * A tree with its result, once it ended well.
     *
     * @param finished whether the status shows the end: then the result is not read again
     * @param most bytes of the result; a larger one is measured alone
     */
    public static ObservedTree with(Trees trees, String tree, TreeReport report, boolean finished, int most) {
        boolean ended = report.state().over() && report.state().state() == TreeState.State.FINISHED;
        return new ObservedTree(report, finished || !ended ? Optional.empty() : Optional.of(trees.measure(tree, most)));
    }
}
