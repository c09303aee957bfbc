package dev.quiver.e2e.quiver;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import dev.quiver.e2e.cluster.ClusterExtension;

/** Gives tests an {@link Installation} parameter: one for all test classes of the JVM, made when the first one asks. */
public final class InstallationExtension implements ParameterResolver {

    private static final ExtensionContext.Namespace SPACE =
            ExtensionContext.Namespace.create(InstallationExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Installation.class;
    }

    @Override
    public Installation resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return installation(context);
    }

    static Installation installation(ExtensionContext context) {
        return context.getRoot()
                .getStore(SPACE)
                .computeIfAbsent(
                        Installation.class,
                        key -> Installation.on(ClusterExtension.cluster(context)),
                        Installation.class);
    }
}
