package dev.quiver.e2e.quiver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A {@link Space} parameter that is the one namespace to which the chart grants a prefix: one test's alone. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Granted {

    /** The prefix, one of {@link Installation#IDOIT_PREFIX} and {@link Installation#QUEUE_PREFIX}. */
    String value();
}
