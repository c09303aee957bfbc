package dev.quiver.controller.mapreduce;

import java.util.Locale;
import java.util.Optional;

import dev.quiver.controller.tree.TreeOutcome;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobSpec;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.lifecycle.mapreduce.ChunkCounts;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/** The end of a job. Pure. */
final class JobOutcome {

    private JobOutcome() {}

    /** The outcome of a tree that is over. */
    static TreeOutcome of(MapReduceJobSpec spec, ObservedJob job) {
        TreeReport report = job.tree().report();
        String files = report.endFailure()
                .map(end ->
                        " The removal of its files in " + spec.scratch().path() + TreeOutcome.described(end.error()))
                .orElse("");
        if (report.state().state() != TreeState.State.FAILED) {
            return new TreeOutcome(true, MapReduceJobReason.JobSucceeded, "The job succeeded." + ended(job) + files);
        }
        return TreeOutcome.ended(spec, report)
                .orElseGet(() -> failed(spec, report))
                .and(ended(job) + files);
    }

    /** How a run of a schedule ended by itself. The report of a schedule does not show at which part. */
    static Reason ofRun(ScheduleReport.Run run) {
        return run.state() == TreeState.State.FINISHED ? MapReduceJobReason.JobSucceeded : MapReduceJobReason.JobFailed;
    }

    private static TreeOutcome failed(MapReduceJobSpec spec, TreeReport report) {
        Optional<NodeError> error = report.failure().map(TreeReport.Failure::error);
        Optional<JobTree.Part> part = error.flatMap(it -> new JobTree(spec).part(it.node()));
        MapReduceJobReason reason =
                part.map(it -> reason(spec, it, error.get())).orElse(MapReduceJobReason.ChunksFailed);
        String message = switch (reason) {
            case MapFailed -> "Map" + TreeOutcome.described(error.get());
            case ReduceFailed -> "Reduce" + TreeOutcome.described(error.get());
            default -> error.map(NodeError::message).map(JobOutcome::sentence).orElseGet(reason::sentence);
        };
        return new TreeOutcome(false, reason, message);
    }

    private static MapReduceJobReason reason(MapReduceJobSpec spec, JobTree.Part part, NodeError error) {
        return switch (part) {
            case MAP -> MapReduceJobReason.MapFailed;
            case REDUCE -> MapReduceJobReason.ReduceFailed;
            case CHUNKS ->
                switch (error.reason()) {
                    case "CombineFailed" -> MapReduceJobReason.CombineFailed;
                    case "ResultsTooLarge" -> MapReduceJobReason.ResultsTooLarge;
                    // Its chunks are not there, or are none.
                    case "InputInvalid", "ChunksMissing" ->
                        spec.work().bringsChunks() ? MapReduceJobReason.MapFailed : MapReduceJobReason.ChunksFailed;
                    default -> MapReduceJobReason.ChunksFailed;
                };
        };
    }

    /** The last line of a message, as a sentence. */
    private static String sentence(String message) {
        String first = message.lines().findFirst().orElse("").strip();
        String last = TreeOutcome.lastLine(message);
        String words = first.equals(last) ? first : first + " … " + last;
        return words.isEmpty()
                ? words
                : words.substring(0, 1).toUpperCase(Locale.ROOT)
                        + words.substring(1)
                        + (words.endsWith(".") ? "" : ".");
    }

    private static String ended(ObservedJob job) {
        return job.chunks().map(JobOutcome::ended).orElse("");
    }

    private static String ended(ChunkCounts chunks) {
        String skipped = chunks.skipped() == 0 ? "" : ", " + chunks.skipped() + " were skipped";
        return " " + chunks.done() + " of " + chunks.total() + " chunks were done" + skipped + ".";
    }
}
