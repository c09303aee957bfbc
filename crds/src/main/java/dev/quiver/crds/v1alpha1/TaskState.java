package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The state of a node of a {@link Task}, in the words of its layouts in Redis. An unknown word is read as none. */
public enum TaskState {
    /** It was created and its turn has not come. */
    @JsonProperty("waiting")
    WAITING,
    /** It has children, and they are not all done. */
    @JsonProperty("idle")
    IDLE,
    /** It is queued for a slot. */
    @JsonProperty("startable")
    STARTABLE,
    /** A worker holds it. */
    @JsonProperty("locked")
    LOCKED,
    /** It failed and waits for its next trial. */
    @JsonProperty("restart")
    RESTART,
    /** It has ended, well or not. */
    @JsonProperty("finished")
    FINISHED
}
