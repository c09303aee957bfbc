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
@ValidationRule(
        value =
                "isQuantity(string(self.resultsSize)) && quantity(string(self.resultsSize)).isInteger() && quantity(string(self.resultsSize)).compareTo(quantity('1Ki')) >= 0 && quantity(string(self.resultsSize)).compareTo(quantity('1Gi')) <= 0",
        message = "must be a quantity of whole bytes from 1Ki to 1Gi",
        fieldPath = ".resultsSize")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduce(
        @JsonPropertyDescription(
                "Makes the chunks. A handler returns them as an array, a command writes one a line of $QUIVER_OUTPUT: at most"
                        + " 100000, each at most 262144 bytes. Left out, the elements of the result before this node are the"
                        + " chunks.")
        MapReducePart map,

        @JsonPropertyDescription("Runs once for each chunk, which is its last argument.") @Required
        MapReducePart process,

        @JsonPropertyDescription(
                "Folds results on the workers of process. It gets an array of neighbouring results in order, and returns one"
                        + " of the same kind. It must be associative.")
        MapReduceCombine combine,

        @JsonPropertyDescription(
                "Gets the array of all results, in the order of the chunks; with combine that of the last fold alone. What it"
                        + " returns is the node's result. Left out, the array is.")
        MapReducePart reduce,

        @JsonPropertyDescription(
                "What a chunk that failed for good means. Fail ends the node. SkipChunk goes on without its result.")
        @Default("Fail")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ChunkFailurePolicy failurePolicy,

        @JsonPropertyDescription(
                "How many bytes of results are kept at a time, as JSON: a quantity from 1Ki to 1Gi. The result that passes it"
                        + " ends the node with reason ResultsTooLarge.")
        @Default("64Mi")
        Quantity resultsSize) {
    public MapReduce {
        failurePolicy = failurePolicy == null ? ChunkFailurePolicy.Fail : failurePolicy;
        resultsSize = resultsSize == null ? new Quantity("64Mi") : resultsSize;
    }

    /** A map-reduce of functions. */
    public static MapReduce ofHandlers(String map, String process, String reduce) {
        return MapReduceBuilder.builder()
                .map(MapReducePart.ofHandler(map))
                .process(MapReducePart.ofHandler(process))
                .reduce(MapReducePart.ofHandler(reduce))
                .build();
    }

    /** {@link #resultsSize} in bytes. */
    public long resultsBytes() {
        return Quantity.getAmountInBytes(resultsSize).longValueExact();
    }

    /** The part that makes the chunks, where there is one. */
    public Optional<MapReducePart> mapper() {
        return Optional.ofNullable(map);
    }

    /** The folds, where there are any. */
    public Optional<MapReduceCombine> folds() {
        return Optional.ofNullable(combine);
    }

    /** The part that gets all results, where there is one. */
    public Optional<MapReducePart> reducer() {
        return Optional.ofNullable(reduce);
    }

    /** All stages that are there, by their fields; those that are nodes of a tree first. */
    public Map<String, MapReduceStage> stages() {
        Map<String, MapReduceStage> stages = new LinkedHashMap<>(parts());
        folds().ifPresent(combine -> stages.put("combine", combine));
        return stages;
    }

    /** The parts that are there, by their fields. */
    public Map<String, MapReducePart> parts() {
        Map<String, MapReducePart> parts = new LinkedHashMap<>();
        mapper().ifPresent(part -> parts.put("map", part));
        parts.put("process", process);
        reducer().ifPresent(part -> parts.put("reduce", part));
        return parts;
    }
}
