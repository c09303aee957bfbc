package dev.quiver.controller.mapreduce;

import java.util.Optional;

import dev.quiver.crds.v1alpha1.MapReduceJobSpec;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;

/** Where a job is, in the words of seed 001. Pure. */
final class JobPhase {

    private JobPhase() {}

    static MapReduceJobState of(MapReduceJobSpec spec, TreeReport report) {
        JobTree job = new JobTree(spec);
        if (report.state().state().isOver()) {
            return MapReduceJobState.FINISHED;
        }
        if (report.startedAt().isEmpty()) {
            return MapReduceJobState.POSTPONED;
        }
        Optional<TreeState.State> map = state(job, report, JobTree.Part.MAP);
        TreeState.State chunks = state(job, report, JobTree.Part.CHUNKS).orElse(TreeState.State.WAITING);
        if (chunks.isOver()) {
            return MapReduceJobState.REDUCING;
        }
        if (chunks != TreeState.State.WAITING
                || map.filter(TreeState.State::isOver).isPresent()) {
            return MapReduceJobState.AGGREGATING;
        }
        return map.filter(state -> state != TreeState.State.WAITING && !isFirst(job, report))
                        .isPresent()
                ? MapReduceJobState.MAPPING
                : MapReduceJobState.PENDING;
    }

    /** Whether map waits for its first trial. */
    private static boolean isFirst(JobTree job, TreeReport report) {
        return job.node(report, JobTree.Part.MAP)
                .filter(node -> node.state() == TreeState.State.STARTABLE && node.trial() <= 1)
                .isPresent();
    }

    private static Optional<TreeState.State> state(JobTree job, TreeReport report, JobTree.Part part) {
        return job.node(report, part).map(NodeState::state);
    }
}
