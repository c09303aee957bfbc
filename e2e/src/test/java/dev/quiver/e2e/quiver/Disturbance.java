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
 * Scenarios that break what all namespaces share (operator, Redis, API server, nodes): each runs alone, and leaves
 * behind what it found. Parameters as for a {@link Scenario}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({ClusterExtension.class, InstallationExtension.class, SpaceExtension.class})
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock(value = ClusterExtension.CALM, mode = ResourceAccessMode.READ_WRITE)
public @interface Disturbance {}
