package dev.quiver.e2e.quiver;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import dev.quiver.e2e.cluster.Cluster;
import dev.quiver.e2e.cluster.ClusterExtension;

/** Gives tests an {@link Installation} parameter: one for each cluster, made when the first test asks. */
public final class InstallationExtension implements ParameterResolver {

    private static final ExtensionContext.Namespace SPACE =
            ExtensionContext.Namespace.create(InstallationExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Installation.class;
    }

    @Override
    public Installation resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return whole(context);
    }

    /** The installation of a test's cluster, all of it there. */
    static Installation whole(ExtensionContext context) {
        Installation installation = installation(context);
        installation.restore();
        return installation;
    }

    /** The installation of a test's cluster, in whatever state it is. */
    static Installation installation(ExtensionContext context) {
        Cluster cluster = ClusterExtension.cluster(context);
        return context.getRoot()
                .getStore(SPACE)
                .computeIfAbsent(cluster, key -> Installation.on(cluster), Installation.class);
    }
}
