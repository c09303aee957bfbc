package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;

/**
 * How many chunks are in which state, in the words of seed 001. Each counts once. Until the last chunk has ended, a combine
 * that runs or waits for its next trial may count in the place of a chunk.
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceChunkCounts(
        @JsonPropertyDescription("All chunks of the job.") @Min(0)
        Long total,

        @JsonPropertyDescription("Chunks that wait for a slot.") @Min(0)
        Long pending,

        @JsonPropertyDescription("Chunks that a worker holds now.") @Min(0)
        Long active,

        @JsonPropertyDescription("Chunks that failed and wait for their next trial.") @Min(0)
        Long errored,

        @JsonPropertyDescription("Chunks that succeeded.") @Min(0)
        Long done,

        @JsonPropertyDescription("Chunks that failed for good, with failurePolicy SkipChunk.") @Min(0)
        Long skipped,

        @JsonPropertyDescription("All combines; 0 without combine.") @Min(0)
        Long combines,

        @JsonPropertyDescription("Combines that have ended, or had nothing to combine.") @Min(0)
        Long combinesDone) {}
