package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The order in which the tasks of a run are given out. An unknown word is read as {@link #LongestFirst}. */
public enum TaskOrder {
    /** Tasks of which nothing is known, then those that take longest, by earlier runs of the class. */
    @JsonEnumDefaultValue
    LongestFirst,
    /** As the source has them. */
    Source
}
