package dev.quiver.lifecycle.task.model;

import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The common part of all chunks of a node, apart from the execution of one of them. Immutable.
 *
 * @param combine what is executed to combine results; absent: nothing is
 * @param combineTrials trials of a combine that may fail, 1 to {@value TreeNode#MOST_TRIALS}
 * @param fanIn results of one combine, 2 to {@value #MOST_FAN_IN}
 * @param skips whether the node goes on without chunks that were given up; else the first of them ends it
 * @param resultsSize bytes of the results that are kept at a time
 * @param ofInput whether the elements of the node's input are the chunks
 * @param elements the chunks themselves; absent, and not of the input either: the task before it brings them
 * @param scratch takes results that are too large for Redis; absent: they are failures
 * @param perWorker chunks and combines that one worker runs at a time, 1 to {@value #MOST_PER_WORKER}; 0: as many as it
 *     has slots
 */
public record ChunkWork(
        Optional<TaskBody> combine,
        int combineTrials,
        int fanIn,
        boolean skips,
        long resultsSize,
        boolean ofInput,
        Optional<List<JsonNode>> elements,
        Optional<Scratch> scratch,
        int perWorker) {

    /** Results of one combine at most. */
    public static final int MOST_FAN_IN = 256;

    /** Chunks of one node at most. */
    public static final int MOST_CHUNKS = 100_000;

    /** Chunks of one worker at a time at most: as many as it can have slots. */
    public static final int MOST_PER_WORKER = 64;

    /** With as many chunks at a time as a worker has slots. */
    public ChunkWork(
            Optional<TaskBody> combine,
            int combineTrials,
            int fanIn,
            boolean skips,
            long resultsSize,
            boolean ofInput,
            Optional<List<JsonNode>> elements,
            Optional<Scratch> scratch) {
        this(combine, combineTrials, fanIn, skips, resultsSize, ofInput, elements, scratch, 0);
    }

    /** The same with at most so many chunks and combines at a time in one worker; 0: as many as it has slots. */
    public ChunkWork atOnce(int most) {
        return new ChunkWork(combine, combineTrials, fanIn, skips, resultsSize, ofInput, elements, scratch, most);
    }

    /** Without a directory for large results. */
    public ChunkWork(
            Optional<TaskBody> combine,
            int combineTrials,
            int fanIn,
            boolean skips,
            long resultsSize,
            boolean ofInput,
            Optional<List<JsonNode>> elements) {
        this(combine, combineTrials, fanIn, skips, resultsSize, ofInput, elements, Optional.empty());
    }

    /** The same with such a directory. */
    public ChunkWork with(Scratch directory) {
        return new ChunkWork(
                combine,
                combineTrials,
                fanIn,
                skips,
                resultsSize,
                ofInput,
                elements,
                Optional.of(directory),
                perWorker);
    }

    /** Copies the list and checks the bounds. */
    public ChunkWork {
        elements = elements.map(List::copyOf);
        NumberBounds.check("combine.maxTrials", combineTrials, 1, TreeNode.MOST_TRIALS);
        NumberBounds.check("fanIn", fanIn, 2, MOST_FAN_IN);
        NumberBounds.check("perWorker", perWorker, 0, MOST_PER_WORKER);
        NumberBounds.check("resultsSize", resultsSize, 1, Long.MAX_VALUE);
        elements.ifPresent(all -> NumberBounds.check("elements", all.size(), 0, MOST_CHUNKS));
    }
}
