package dev.quiver.e2e.cluster;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A class of tests on a cluster, and how it uses it. Its tests get a {@link Cluster} parameter. */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ClusterExtension.class)
@ResourceLock(providers = ClusterLocks.class)
public @interface OnCluster {

    /** The use that the class makes of its cluster. */
    Use value();

    /** The uses that tests make of a cluster, in the order in which their classes start. */
    enum Use {
        /** Keeps to a namespace of its own: many at a time. */
        SHARED,
        /** Breaks what all of a cluster share: one at a time, on a cluster that no {@link #SHARED} class uses. */
        BROKEN,
        /** Takes all the processor there is: one at a time, and nothing else beside it on any cluster. */
        ALONE
    }
}
