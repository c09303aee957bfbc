package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The layout of a {@link Task} in Redis. An unknown word is read as {@link #Quiver}. */
public enum Wire {
    /** The own layout: all that a Task can. */
    @JsonEnumDefaultValue
    Quiver,
    /** The keys of npm's idoit under a prefix that the pool was granted, for work shared with its programs. */
    Idoit
}
