package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The programs that share a {@link GrantedPrefix}. An unknown word is read as {@link #Idoit}. */
public enum PrefixWire {
    /** The wire of npm's idoit: tasks, chains, groups, iterators. */
    @JsonEnumDefaultValue
    Idoit,
    /** The wire of a map-reduce queue: jobs with map, chunks and reduce. */
    Queue
}
