package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/**
 * The fate of a run whose state Redis has lost. An unknown word is read as {@link #Fail}: one object of a newer version
 * must not keep an informer from reading all others.
 */
public enum StoreLossPolicy {
    /** The run starts again from its source; tasks that had passed run once more. */
    Resubmit,
    /** The run ends with {@code Succeeded=False}, reason {@code StoreLost}. */
    @JsonEnumDefaultValue
    Fail
}
