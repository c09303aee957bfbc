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
 * Scenarios that break what all namespaces share (operator, Redis, API server, nodes). They run one at a time, on a
 * cluster of their own where two can be had, and leave behind what they found. Parameters as for a {@link Scenario}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@OnCluster(OnCluster.Use.BROKEN)
@ExtendWith({InstallationExtension.class, SpaceExtension.class})
@Execution(ExecutionMode.SAME_THREAD)
public @interface Disturbance {}
