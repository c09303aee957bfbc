package dev.quiver.e2e.quiver;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import dev.quiver.e2e.cluster.ClusterExtension;

/**
 * Scenarios that keep to their own namespace: they run beside each other, never beside a {@link Disturbance}. Tests get
 * an {@link Installation} and a {@link Space} as parameters.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({ClusterExtension.class, InstallationExtension.class, SpaceExtension.class})
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = ClusterExtension.CALM, mode = ResourceAccessMode.READ)
public @interface Scenario {}
