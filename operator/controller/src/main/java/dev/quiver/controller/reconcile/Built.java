package dev.quiver.controller.reconcile;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Requests a generated builder for a record of many facts, so that each fact is given by its name. A fact that is not
 * given is absent. Gone after compilation, so the program needs no library for it.
 */
@RecordBuilder.Template(
        options =
                @RecordBuilder.Options(
                        inheritComponentAnnotations = false,
                        addClassRetainedGenerated = false,
                        enableWither = false))
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.TYPE)
@Inherited
public @interface Built {}
