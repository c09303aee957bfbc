package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The layout of a {@link MapReduceJob} in Redis. An unknown word is read as {@link #Quiver}. */
public enum MapReduceWire {
    /** The own layout: all that a job can. */
    @JsonEnumDefaultValue
    Quiver,
    /** The keys of a map-reduce queue under a prefix that the pool was granted, for work shared with its programs. */
    Queue
}
