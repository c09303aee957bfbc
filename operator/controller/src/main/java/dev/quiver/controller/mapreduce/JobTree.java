package dev.quiver.controller.mapreduce;

import java.time.Duration;
import java.util.Optional;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import dev.quiver.controller.tree.MapReduceNodes;
import dev.quiver.controller.tree.TreeId;
import dev.quiver.crds.v1alpha1.MapReduceJobSpec;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeReport;

/**
 * A job as a tree. It is a chain of those parts that are there: map, the chunks and reduce. At its end is the task that
 * removes the job's files. Pure.
 */
record JobTree(MapReduceJobSpec spec) {

    private static final String NAME = "job";

    /** A part of a job that is a node. */
    enum Part {
        MAP("map"),
        CHUNKS("chunks"),
        REDUCE("reduce");

        private final String word;

        Part(String word) {
            this.word = word;
        }

        /** The name of its node. */
        String word() {
            return word;
        }
    }

    /**
     * The tree of a spec. It stays in Redis until it is dropped with its resource.
     *
     * @param id of the tree: the resource's uid, and the number of the run where there are several
     * @param delay until it begins
     */
    TaskTree of(String id, JobInput.Read input, Duration delay) {
        MapReduceNodes nodes = new MapReduceNodes(
                spec.work(),
                part -> part,
                spec.workerPoolRef().name(),
                spec.mostChunks(),
                spec.chunksPerWorker(),
                Rank.below(
                        Rank.NONE,
                        Optional.ofNullable(spec.relPriority()),
                        Optional.of(spec.tags()),
                        Optional.empty(),
                        Optional.of(spec.resources())));
        TaskBody body = TaskBody.named(NAME);
        return new TaskTree(
                id,
                brings() ? nodes.ofMap(body, input.json()) : nodes.ofChunks(body, input.chunks()),
                nodes.removal(),
                true,
                spec.activeDeadline(),
                delay,
                Optional.empty());
    }

    /** The same nodes without their input, for their ranks. */
    TaskTree shape(String id) {
        return of(id, new JobInput.Read(Optional.of(JsonNodeFactory.instance.arrayNode())), Duration.ZERO);
    }

    private boolean brings() {
        return spec.work().bringsChunks();
    }

    /** The ordinal of the node with chunks. */
    int chunks() {
        return brings() ? 2 : 1;
    }

    /** The part that a node is; absent for the root, and for the one at the end. */
    Optional<Part> part(String node) {
        long ordinal = TreeId.ordinal(node);
        if (ordinal == chunks()) {
            return Optional.of(Part.CHUNKS);
        }
        if (ordinal == 1) {
            return Optional.of(Part.MAP);
        }
        return Optional.of(Part.REDUCE).filter(_ -> spec.reduce() != null && ordinal == chunks() + 1);
    }

    /** A part as Redis has it. */
    Optional<NodeState> node(TreeReport report, Part part) {
        return report.nodes().stream()
                .filter(node -> part(node.id()).filter(part::equals).isPresent())
                .findFirst();
    }
}
