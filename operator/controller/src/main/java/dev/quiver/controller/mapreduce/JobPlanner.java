package dev.quiver.controller.mapreduce;

import java.util.Optional;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.tree.PrefixPools;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreePlanner;
import dev.quiver.controller.tree.TreePlanner.Work;
import dev.quiver.crds.v1alpha1.MapReduceChunks;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobSpec;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.TreeReason;

/** Decides the next act of a job: what is its own beside {@link TreePlanner}. Pure. */
final class JobPlanner {

    private static final TreePlanner<JobView> TREES = new TreePlanner<>(new Parts());

    /** Programs of a queue keep no results. */
    private static final TreePlan GONE = new TreePlan.Conclude(
            TreeReason.StoreLost,
            "The job is gone from the keys of the queue: another program ended or removed it, or Redis lost it. The outcome"
                    + " is unknown.");

    private JobPlanner() {}

    static TreePlan plan(JobView view) {
        return view.finished() ? TREES.retire(view) : foreign(view).orElseGet(() -> TREES.plan(view));
    }

    /** The plan of a job that is not where the operator looks, or that is gone there. */
    private static Optional<TreePlan> foreign(JobView view) {
        if (view.layout() instanceof TreeLayout.Withheld) {
            return Optional.of(
                    view.before().grantedPrefix() == null
                            ? TREES.absent(view)
                            : new TreePlan.Hold(
                                    MapReduceJobReason.PrefixNotGranted,
                                    prefixMissing(view).orElseThrow()));
        }
        boolean gone = view.layout() instanceof TreeLayout.Foreign
                && view.store() instanceof ObservedStore.Answered<?>
                && view.tree().isEmpty();
        return Optional.of(GONE)
                .filter(_ -> gone && view.accepted() && view.spec().storeLossPolicy() == StoreLossPolicy.Fail);
    }

    /** Why a job with {@code wire: Queue} has no prefix that its pool works under; absent for one that can run. */
    static Optional<String> prefixMissing(JobView view) {
        return PrefixPools.missing(view, PrefixWire.Queue, _ -> "spec.workerPoolRef.name");
    }

    /** The parts of a job as a tree. */
    private record Parts() implements TreePlanner.Kind<JobView> {

        @Override
        public Work work(JobView view) {
            return view.spec()
                    .wireFault()
                    .or(view.spec()::argumentFault)
                    .<Work>map(words -> never(words + "."))
                    .orElseGet(() -> switch (view.input()) {
                        case JobInput.Invalid(String message) -> never(message);
                        case JobInput.NotFound(String message) ->
                            new Work.Refused(new TreePlan.Hold(MapReduceJobReason.InputNotFound, message));
                        // Redis cannot be asked: the input is read once it can.
                        case JobInput.NotRead _ ->
                            new Work.Refused(new TreePlan.Hold(TreeReason.Accepting, TreeReason.Accepting.sentence()));
                        case JobInput.Read read -> ofInput(view.spec(), read);
                    });
        }

        @Override
        public Optional<TreePlan.Maker> shape(JobView view) {
            return Optional.of((id, _) -> new JobTree(view.spec()).shape(id));
        }

        private static Work ofInput(MapReduceJobSpec spec, JobInput.Read input) {
            int chunks = spec.work().bringsChunks() ? 0 : input.chunks().size();
            return chunks > MapReduceChunks.MOST
                    ? never("spec.input: there are " + chunks + " chunks, at most " + MapReduceChunks.MOST
                            + " are allowed.")
                    : new Work.Fits((id, delay) -> new JobTree(spec).of(id, input, delay));
        }

        private static Work never(String message) {
            return new Work.Refused(new TreePlan.Conclude(MapReduceJobReason.SpecInvalid, message));
        }

        @Override
        public String place(JobView view, String pool) {
            MapReduceJobSpec spec = view.spec();
            return spec.workerPoolRef().name().equals(pool)
                    ? "spec.workerPoolRef.name"
                    : spec.work().parts().entrySet().stream()
                            .filter(part ->
                                    JobView.poolOf(spec, part.getValue()).equals(pool))
                            .findFirst()
                            .map(part -> "spec." + part.getKey() + ".workerPoolRef.name")
                            .orElse("");
        }

        @Override
        public Optional<TreePlan> refused(JobView view) {
            return prefixMissing(view).map(message -> new TreePlan.Hold(MapReduceJobReason.PrefixNotGranted, message));
        }

        @Override
        public Reason invalid() {
            return MapReduceJobReason.SpecInvalid;
        }
    }
}
