package dev.quiver.crds.v1alpha1;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;

/** A map-reduce: chunks of work, one function for all of them, and one for their results, in the order of the chunks. */
@ValidationRule(value = TaskRules.IS_RESULTS_TEXT, message = TaskRules.RESULTS_SIZE, fieldPath = ".resultsSize")
@ValidationRule(
        value = "!has(self.split) || !has(self.map)",
        message = "must be absent with map: either of them makes the chunks",
        fieldPath = ".split")
@ValidationRule(
        value = "!has(self.scratch) || has(self.reduce)",
        message = "needs reduce: the files go with the job, and nobody else reads them",
        fieldPath = ".scratch")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduce(
        @JsonPropertyDescription(
                "Makes the chunks. A handler returns them as an array, a command writes one a line of $QUIVER_OUTPUT: at most"
                        + " 100000, each at most 262144 bytes. Each batch of an Arrow stream that a handler returns is a chunk."
                        + " Without map and split the elements of the result before this node are the chunks.")
        MapReduceMap map,

        @JsonPropertyDescription("Runs once for each chunk, which is its last argument.") @Required
        MapReducePart process,

        @JsonPropertyDescription(
                "Combines results on the workers of process. It gets an array of neighbouring results in order, and returns one"
                        + " of the same kind. It must be associative.")
        MapReduceCombine combine,

        @JsonPropertyDescription(
                "Gets the array of all results, in the order of the chunks; with combine that of the last combine alone. What it"
                        + " returns is the node's result. Left out, the array is.")
        MapReducePart reduce,

        @JsonPropertyDescription(
                "What a chunk that failed for good means. Fail ends the node. SkipChunk goes on without its result.")
        @Default("Fail")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ChunkFailurePolicy failurePolicy,

        @JsonPropertyDescription(
                "How many bytes of results are kept at a time: a quantity from 1Ki to 1Gi, as a string. The result that passes"
                        + " it ends the node with reason ResultsTooLarge.")
        @Default("64Mi")
        Quantity resultsSize,

        @JsonPropertyDescription(
                "Makes the chunks of files, in place of map: each is an object that names its part of them.")
        MapReduceSplit split,

        @JsonPropertyDescription(
                "Takes Arrow results above 65536 bytes, which do not count to resultsSize then. Reduce and combine read them"
                        + " one file at a time. The files are removed when the Task ends, however that is. Needs reduce.")
        MapReduceScratch scratch) {
    public MapReduce {
        failurePolicy = failurePolicy == null ? ChunkFailurePolicy.Fail : failurePolicy;
        resultsSize = resultsSize == null ? new Quantity("64Mi") : resultsSize;
    }

    /** Without split and scratch. */
    public MapReduce(
            MapReduceMap map,
            MapReducePart process,
            MapReduceCombine combine,
            MapReducePart reduce,
            ChunkFailurePolicy failurePolicy,
            Quantity resultsSize) {
        this(map, process, combine, reduce, failurePolicy, resultsSize, null, null);
    }

    /** A map-reduce of functions. */
    public static MapReduce ofHandlers(String map, String process, String reduce) {
        return MapReduceBuilder.builder()
                .map(MapReduceMap.ofHandler(map))
                .process(MapReducePart.ofHandler(process))
                .reduce(MapReducePart.ofHandler(reduce))
                .build();
    }

    /** {@link #resultsSize} in bytes. */
    public long resultsBytes() {
        return Quantity.getAmountInBytes(resultsSize).longValueExact();
    }

    /** The part that makes the chunks, where there is one. */
    public Optional<MapReduceMap> mapper() {
        return Optional.ofNullable(map);
    }

    /** How files are cut into the chunks, where there is no map for it. */
    public Optional<MapReduceSplit> splitter() {
        return Optional.ofNullable(split);
    }

    /** The directory for large results, where there is one. */
    public Optional<String> scratchPath() {
        return Optional.ofNullable(scratch).map(MapReduceScratch::path);
    }

    /** Whether a task of its own makes the chunks. */
    public boolean bringsChunks() {
        return map != null || split != null;
    }

    /** The nodes of a tree that it is, with the one above them. */
    public int nodes() {
        return 1 + parts().size() + (split == null ? 0 : 1);
    }

    /** The function or program that combines results, where there is one. */
    public Optional<MapReduceCombine> combining() {
        return Optional.ofNullable(combine);
    }

    /** The part that gets all results, where there is one. */
    public Optional<MapReducePart> reducer() {
        return Optional.ofNullable(reduce);
    }

    /** All stages that are there, by their fields; those that are nodes of a tree first. */
    public Map<String, MapReduceStage> stages() {
        Map<String, MapReduceStage> stages = new LinkedHashMap<>(parts());
        combining().ifPresent(combine -> stages.put("combine", combine));
        return stages;
    }

    /** The parts that are there, by their fields. */
    public Map<String, MapReduceWorker> parts() {
        Map<String, MapReduceWorker> parts = new LinkedHashMap<>();
        mapper().ifPresent(part -> parts.put("map", part));
        parts.put("process", process);
        reducer().ifPresent(part -> parts.put("reduce", part));
        return parts;
    }
}
