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
 * Scenarios that take all the processor there is: whatever ran beside them would starve, so nothing does. Parameters as
 * for a {@link Scenario}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@OnCluster(OnCluster.Use.ALONE)
@ExtendWith({InstallationExtension.class, SpaceExtension.class})
@Execution(ExecutionMode.SAME_THREAD)
public @interface Burden {}
