package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The reaction of a {@link MapReduce} to a chunk that failed for good. An unknown word is read as {@link #Fail}. */
public enum ChunkFailurePolicy {
    /** It fails, and the other chunks are not run any more. */
    @JsonEnumDefaultValue
    Fail,
    /** It goes on without the chunk's result. */
    SkipChunk
}
