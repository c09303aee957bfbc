package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The state of a {@link MapReduceJob}, in the words of seed 001 and one for its end. An unknown word is read as none. */
public enum MapReduceJobState {
    /** It waits for its time. */
    @JsonProperty("postponed")
    POSTPONED,
    /** Its first task is queued for a slot. */
    @JsonProperty("pending")
    PENDING,
    /** Map runs, or waits for its next trial. */
    @JsonProperty("mapping")
    MAPPING,
    /** Its chunks run. */
    @JsonProperty("aggregating")
    AGGREGATING,
    /** Reduce is queued, runs, or waits for its next trial. */
    @JsonProperty("reducing")
    REDUCING,
    /** It has ended, well or not. */
    @JsonProperty("finished")
    FINISHED
}
