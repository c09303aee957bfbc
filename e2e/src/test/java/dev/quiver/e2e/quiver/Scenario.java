package dev.quiver.e2e.quiver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.e2e.cluster.OnCluster;

/**
 * Scenarios that keep to their own namespace: they run beside each other, never on a cluster that a {@link Disturbance}
 * breaks. Tests get an {@link Installation} and a {@link Space} as parameters.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@OnCluster(OnCluster.Use.SHARED)
@ExtendWith({InstallationExtension.class, SpaceExtension.class})
@Execution(ExecutionMode.CONCURRENT)
public @interface Scenario {}
