package dev.quiver.e2e.cluster;

import java.util.Comparator;

import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.Order;

/**
 * Classes without a cluster first: they work while the clusters come up. Then those that share one: they take the other
 * threads. One thread meanwhile plays, class by class, what breaks a cluster and then what wants the machine alone. Within a
 * kind by {@link Order}.
 */
public final class ClusterOrder implements ClassOrderer {

    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors()
                .sort(Comparator.comparing((ClassDescriptor it) -> it.isAnnotated(OnCluster.class))
                        .thenComparing(it -> ClusterExtension.use(it.getTestClass()))
                        .thenComparing(it ->
                                it.findAnnotation(Order.class).map(Order::value).orElse(Order.DEFAULT)));
    }
}
