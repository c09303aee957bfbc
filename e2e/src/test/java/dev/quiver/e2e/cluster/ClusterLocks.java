package dev.quiver.e2e.cluster;

import java.util.Set;

import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * The locks behind {@link OnCluster}. With two clusters the classes that break one hold a lock that those of the other
 * do not know. With one cluster all hold the same.
 */
final class ClusterLocks implements ResourceLocksProvider {

    private static final String SHARED = "the cluster that many share";
    private static final String BROKEN = "the cluster that is broken";

    @Override
    public Set<Lock> provideForClass(Class<?> testClass) {
        boolean two = ClusterExtension.choice().hasTwo();
        return switch (ClusterExtension.use(testClass)) {
            case SHARED -> Set.of(new Lock(SHARED, ResourceAccessMode.READ));
            case BROKEN -> Set.of(new Lock(two ? BROKEN : SHARED));
            case ALONE -> Set.of(new Lock(SHARED), new Lock(BROKEN));
        };
    }
}
