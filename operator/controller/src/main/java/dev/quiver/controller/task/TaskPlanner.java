package dev.quiver.controller.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.tree.PrefixPools;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreePlanner;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.TaskGraph;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.Wire;

/** Decides the next act of a Task: what is its own beside {@link TreePlanner}. Pure. */
final class TaskPlanner {

    private static final TreePlanner<TaskView> TREES = new TreePlanner<>(new Nodes());

    /** Programs of idoit forget what has ended for so long. */
    private static final Duration IDOIT_KEEPS = Duration.ofDays(3);

    private static final TreePlan FORGOTTEN = new TreePlan.Conclude(
            TreeReason.StoreLost,
            "The tasks are gone from the keys of idoit, which keeps what has ended for three days: the outcome was not seen"
                    + " in time and is unknown.");

    /** Its nodes are known once they are taken: {@link UndoTaking} makes the plan of it. */
    private static final TreePlan.Maker UNTAKEN = (id, _) -> {
        throw new IllegalStateException("the nodes of tree " + id + " have not been taken");
    };

    private TaskPlanner() {}

    /** A Task's nodes as a tree. */
    private record Nodes() implements TreePlanner.Kind<TaskView> {

        @Override
        public TreePlanner.Work work(TaskView view) {
            if (view.spec().undone().isPresent()) {
                return new TreePlanner.Work.Fits(UNTAKEN);
            }
            return switch (TaskGraph.of(view.spec())) {
                case TaskGraph.Invalid(String _, String message) ->
                    new TreePlanner.Work.Refused(new TreePlan.Conclude(TaskReason.GraphInvalid, message + "."));
                case TaskGraph.Valid graph ->
                    new TreePlanner.Work.Fits((id, delay) -> SpecTree.of(id, view.spec(), graph, delay)
                            .owned("Task " + view.task().getMetadata().getName()));
            };
        }

        /** The nodes of one that undoes another keep the ranks that they were made with. */
        @Override
        public Optional<TreePlan.Maker> shape(TaskView view) {
            return view.spec().undone().isPresent()
                    ? Optional.empty()
                    : work(view) instanceof TreePlanner.Work.Fits(TreePlan.Maker tree)
                            ? Optional.of(tree)
                            : Optional.empty();
        }

        @Override
        public String place(TaskView view, String pool) {
            return TaskPlanner.place(view.spec(), pool);
        }

        @Override
        public Reason invalid() {
            return TaskReason.GraphInvalid;
        }

        @Override
        public Optional<TreePlan> refused(TaskView view) {
            return prefixMissing(view).map(message -> new TreePlan.Hold(TaskReason.PrefixNotGranted, message));
        }
    }

    static TreePlan plan(TaskView view) {
        if (view.finished()) {
            return TREES.retire(view);
        }
        return unsupported(view).or(() -> foreign(view)).orElseGet(() -> TREES.plan(view));
    }

    /** The plan of a Task whose tree is not where the operator looks, or is forgotten there. */
    private static Optional<TreePlan> foreign(TaskView view) {
        if (view.recurring()) {
            return Optional.empty();
        }
        if (view.layout() instanceof TreeLayout.Withheld) {
            return Optional.of(withheld(view));
        }
        boolean gone =
                view.store() instanceof ObservedStore.Answered<?> && view.tree().isEmpty();
        return gone && isForgotten(view) ? Optional.of(FORGOTTEN) : Optional.empty();
    }

    /** A combination of fields that nothing serves, of an object that is older than the rule against it. */
    private static Optional<TreePlan> unsupported(TaskView view) {
        TaskSpec spec = view.spec();
        Optional<String> message = Optional.of(
                        "spec.schedule: the layout Idoit of spec.wire knows no schedules; nothing is run.")
                .filter(_ -> spec.wire() == Wire.Idoit && view.recurring());
        return message.map(words ->
                spec.cancel() ? TreePlanner.CANCELLED_BEFORE : new TreePlan.Hold(TaskReason.NotSupported, words));
    }

    /** A Task that may have a tree where the operator may not look, or that waits for a prefix. */
    private static TreePlan withheld(TaskView view) {
        if (view.before().grantedPrefix() == null) {
            return isForgotten(view) ? FORGOTTEN : TREES.absent(view);
        }
        return new TreePlan.Hold(
                TaskReason.PrefixNotGranted, prefixMissing(view).orElseThrow());
    }

    /** Whether it may have ended so long ago that others have forgotten it: it is not to be run again. */
    private static boolean isForgotten(TaskView view) {
        String began = view.before().startTime();
        return view.accepted()
                && view.spec().storeLossPolicy() != StoreLossPolicy.Fail
                && view.spec().wire() == Wire.Idoit
                && began != null
                && Instant.parse(began).plus(IDOIT_KEEPS).isBefore(view.now());
    }

    /** Why a Task with {@code wire: Idoit} has no prefix that its pools work under; absent for one that can run. */
    static Optional<String> prefixMissing(TaskView view) {
        return PrefixPools.missing(view, PrefixWire.Idoit, name -> place(view.spec(), name));
    }

    /** The field that names a pool. */
    static String place(TaskSpec spec, String pool) {
        return spec.workerPoolRef().name().equals(pool)
                ? "spec.workerPoolRef.name"
                : "node " + nodeAt(spec, pool) + ", workerPoolRef.name";
    }

    private static String nodeAt(TaskSpec spec, String pool) {
        return spec.allNodes().stream()
                .filter(node -> TaskView.poolsOf(spec, node).contains(pool))
                .map(TaskNode::name)
                .findFirst()
                .orElse("");
    }
}
