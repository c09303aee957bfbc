package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/** Bounds of the chunks of a {@link MapReduceJob}. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceChunks(
        @JsonPropertyDescription(
                "How many chunks and combines one worker runs at a time: 1 to 64. 0 is as many as it has slots.")
        @Default("0")
        @Min(0)
        @Max(MapReduceChunks.MOST_PER_WORKER)
        Integer perWorker,

        @JsonPropertyDescription(
                "How many chunks map may make: 1 to 100000. A map that makes more fails, and runs no further trial.")
        @Default("100000")
        @Min(1)
        @Max(MapReduceChunks.MOST)
        Integer max) {

    /** Chunks of a job at most. */
    public static final int MOST = 100_000;

    /** Chunks of one worker at a time at most. */
    public static final int MOST_PER_WORKER = 64;

    /** So many chunks at most, as many at a time as a worker has slots. */
    public MapReduceChunks(Integer max) {
        this(null, max);
    }

    public MapReduceChunks {
        perWorker = perWorker == null ? 0 : perWorker;
        max = max == null ? MOST : max;
    }
}
