package dev.quiver.crds.v1alpha1;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.soabase.recordbuilder.core.RecordBuilder;

/** Requests a generated builder; gone after compilation, so the jar needs no library for it. */
@RecordBuilder.Template(
        options =
                @RecordBuilder.Options(
                        inheritComponentAnnotations = false,
                        addClassRetainedGenerated = false,
                        enableWither = false))
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.TYPE)
@Inherited
@interface Built {}
