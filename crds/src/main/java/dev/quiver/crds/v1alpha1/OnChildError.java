package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** The effect on the parent of a child that failed for good. An unknown word is read as {@link #Fail}. */
public enum OnChildError {
    /** The parent fails and its other children are cancelled. */
    @JsonEnumDefaultValue
    Fail,
    /** The failure is counted, the child's result is null, and the others go on. */
    Continue
}
