package dev.quiver.lifecycle.wires.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.mapreduce.ChunkCounts;
import dev.quiver.lifecycle.mapreduce.JobSnapshot;
import dev.quiver.lifecycle.mapreduce.JobTrees;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.TreeState.State;

/**
 * Map-reduces on the wire as trees: each is a chain of map, chunks and reduce, by these ordinals. The wire knows a job's type
 * and data alone, and neither suspended jobs nor deadlines of a whole. Thread-safe.
 *
 * @param jobs under the prefix
 * @param type of the jobs, which names their functions
 */
public record QueueTrees(QueueJobs jobs, String type) implements JobTrees {

    private static final int MAP = 1;
    private static final int CHUNKS = 2;
    private static final int REDUCE = 3;

    @Override
    public Optional<JobSnapshot> find(String tree) {
        return jobs.report(type, tree)
                .map(report -> new JobSnapshot(
                        report(tree, report),
                        Optional.of(report).filter(it -> it.made() > 0).map(QueueTrees::counts)));
    }

    /**
     * Creates a job. Its data is the last argument of the tree's first task.
     *
     * @param tree a chain that begins with map
     */
    @Override
    public Created create(TaskTree tree) {
        String data = tree.root()
                .children()
                .getFirst()
                .body()
                .input()
                .map(JsonNode::toString)
                .orElse("null");
        return jobs.add(type, tree.id(), data, tree.delay()) ? Created.BEGUN : Created.KNOWN;
    }

    /**
     * Cancels a job, a postponed one too.
     *
     * @param change only {@link Change#CANCEL}
     */
    @Override
    public boolean change(String id, Change change) {
        if (change != Change.CANCEL) {
            throw new IllegalArgumentException("the wire has no suspended jobs");
        }
        return jobs.cancel(type, id);
    }

    /** Changes nothing: the wire has no time for a whole job. */
    @Override
    public boolean limit(String tree, Optional<Duration> deadline) {
        return false;
    }

    /**
     * Deletes a job, and how it ended. Ids are those of resources, which come once.
     *
     * @return always true: it is two calls
     */
    @Override
    public boolean drop(String tree, long nodes) {
        jobs.cancel(type, tree);
        jobs.forget(type, tree);
        return true;
    }

    @Override
    public Optional<TreeReport> report(String tree, int most) {
        return find(tree).map(JobSnapshot::tree);
    }

    @Override
    public Measured measure(String tree, long most) {
        String result = jobs.report(type, tree)
                .filter(QueueJobs.Report.Ended.class::isInstance)
                .map(ended -> ((QueueJobs.Report.Ended) ended).text())
                .filter(text -> !text.isEmpty())
                .orElse("null");
        long bytes = result.getBytes(StandardCharsets.UTF_8).length;
        return new Measured(Optional.of(bytes), Optional.of(result).filter(_ -> bytes <= most));
    }

    private static TreeReport report(String tree, QueueJobs.Report report) {
        List<NodeState> parts = List.of(
                part(tree, MAP, "map", report),
                part(tree, CHUNKS, "chunks", report),
                part(tree, REDUCE, "reduce", report));
        Optional<TreeReport.Failure> failure = failure(tree, report);
        boolean over = report instanceof QueueJobs.Report.Ended;
        State state = !over ? State.IDLE : failure.isPresent() ? State.FAILED : State.FINISHED;
        TreeState whole = new TreeState(
                state,
                over ? report.made() : report.done(),
                report.made(),
                new TreeState.Counts(
                        count(parts, State.WAITING),
                        count(parts, State.IDLE),
                        count(parts, State.STARTABLE),
                        count(parts, State.LOCKED),
                        0,
                        count(parts, State.FINISHED),
                        count(parts, State.FAILED)),
                over,
                failure.map(TreeReport.Failure::error));
        return TreeReportBuilder.builder()
                .state(whole)
                .failure(failure)
                .startedAt(Optional.of(report.begins()).filter(_ -> !isPostponed(report)))
                .finishedAt(
                        report instanceof QueueJobs.Report.Ended ended
                                ? Optional.of(ended.at())
                                : Optional.<Instant>empty())
                .storeTime(report.storeTime())
                .nodes(parts)
                .queued(List.of())
                .build();
    }

    private static boolean isPostponed(QueueJobs.Report report) {
        return report instanceof QueueJobs.Report.Going going && going.state().equals("postponed");
    }

    private static long count(List<NodeState> parts, State state) {
        return parts.stream().filter(part -> part.state() == state).count();
    }

    private static NodeState part(String tree, int ordinal, String name, QueueJobs.Report report) {
        State state = switch (report) {
            case QueueJobs.Report.Ended ended -> ofEnded(ended.how(), ordinal);
            case QueueJobs.Report.Going going -> ofGoing(going.state(), ordinal);
        };
        int trial = report instanceof QueueJobs.Report.Going going && state == State.LOCKED ? going.retries() + 1 : 0;
        boolean chunks = ordinal == CHUNKS;
        return new NodeState(
                TreeIds.node(tree, ordinal),
                name,
                state,
                chunks ? report.done() : 0,
                chunks ? report.made() : 1,
                trial,
                "");
    }

    /**
     * The state of a part while the job goes on. The present part either runs or waits for its next trial, and is not
     * looked at more closely.
     */
    private static State ofGoing(String word, int ordinal) {
        int present = switch (word) {
            case "postponed" -> 0;
            case "pending", "mapping" -> MAP;
            case "aggregating" -> CHUNKS;
            default -> REDUCE;
        };
        if (ordinal != present) {
            return ordinal < present ? State.FINISHED : State.WAITING;
        }
        return switch (word) {
            case "pending" -> State.STARTABLE;
            case "aggregating" -> State.IDLE;
            default -> State.LOCKED;
        };
    }

    private static State ofEnded(String how, int ordinal) {
        int failed = switch (how) {
            case "map" -> MAP;
            case "reduce" -> REDUCE;
            case "cancelled" -> 0;
            default -> REDUCE + 1;
        };
        return ordinal < failed ? State.FINISHED : State.FAILED;
    }

    private static Optional<TreeReport.Failure> failure(String tree, QueueJobs.Report report) {
        if (!(report instanceof QueueJobs.Report.Ended ended)) {
            return Optional.empty();
        }
        return switch (ended.how()) {
            case "map" -> failure(TreeIds.node(tree, MAP), "map", ended.text());
            case "reduce" -> failure(TreeIds.node(tree, REDUCE), "reduce", ended.text());
            case "cancelled" -> Optional.of(new TreeReport.Failure("job", new NodeError(tree, 0, "Cancelled", "")));
            default -> Optional.empty();
        };
    }

    private static Optional<TreeReport.Failure> failure(String node, String name, String text) {
        return Optional.of(new TreeReport.Failure(name, NodeError.read(node, text)));
    }

    /** A chunk that is in no set was dropped: its trials failed. */
    private static ChunkCounts counts(QueueJobs.Report report) {
        long left = 0;
        long running = 0;
        long delayed = 0;
        if (report instanceof QueueJobs.Report.Going going) {
            left = going.pending() + going.active() + going.errored();
            running = going.active();
            delayed = going.errored();
        }
        boolean cancelled =
                report instanceof QueueJobs.Report.Ended ended && !ended.how().equals("passed");
        long dropped = cancelled ? 0 : Math.max(0, report.made() - left - report.done());
        return new ChunkCounts(
                report.made(),
                report.done(),
                dropped,
                dropped,
                running,
                delayed,
                0,
                0,
                report.done() + dropped,
                Duration.ZERO,
                0,
                report.storeTime(),
                List.of(),
                List.of());
    }
}
