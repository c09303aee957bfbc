package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** Whether Tasks that name a resource may run. */
public enum ResourceState {
    /** They may. */
    @JsonEnumDefaultValue
    Available,
    /** They wait. */
    Missing
}
