package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The fate of Tasks that run with a resource when it goes. */
public enum ResourceLoss {
    /** They end as if nothing had happened. */
    @JsonEnumDefaultValue
    Continue,
    /** They are stopped, and go back to their places. */
    Cancel
}
