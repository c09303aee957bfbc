package dev.quiver.e2e.quiver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A {@link Space} that enforces no Pod Security Standard, and so do those that are opened beside it. Every other one
 * enforces {@code restricted}.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Unrestricted {

    /** The reason: a part of the test that {@code restricted} refuses. */
    String value();
}
