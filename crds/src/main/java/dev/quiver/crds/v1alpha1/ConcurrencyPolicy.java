package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The rule for a run that is due while an earlier one has not ended. An unknown word is read as {@link #Allow}. */
public enum ConcurrencyPolicy {
    /** Both run. */
    @JsonEnumDefaultValue
    Allow,
    /** The new one is skipped. */
    Forbid,
    /** The earlier one is cancelled. */
    Replace
}
