package dev.quiver.crds.apiserver;

import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test a {@link KubernetesClient} whose default namespace is new and its class's own, on an API server with all
 * resource definitions installed. One server serves all classes of the JVM and ends with it, however it ends. There is
 * no kubelet and no controller: what is created stays as it is, and namespaces are never emptied.
 *
 * <p>A {@link ServerProcess} as parameter is the server itself, for a kubeconfig or to stop and start it. Where the
 * server's parts cannot be built the tests are skipped, with what is missing.
 */
public final class ApiServer implements BeforeAllCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(ApiServer.class);

    /** Here a missing part skips the class; in the resolution of a parameter it would fail the test. */
    @Override
    public void beforeAll(ExtensionContext context) {
        server(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        var type = parameter.getParameter().getType();
        return type == KubernetesClient.class || type == ServerProcess.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ServerProcess.class ? server(context) : client(context);
    }

    /** The client of the test class, in a namespace of its own; for other extensions. */
    public static KubernetesClient client(ExtensionContext context) {
        return classStore(context)
                .computeIfAbsent(ClassClient.class, key -> ClassClient.of(server(context), context), ClassClient.class)
                .client();
    }

    private static ServerProcess server(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(ServerProcess.class, key -> started(), ServerProcess.class);
    }

    private static ServerProcess started() {
        var server = ServerProcess.start();
        try (var client = client(server, Optional.empty())) {
            Definitions.install(client);
        }
        return server;
    }

    /** The store of the test class, wherever in it the parameter is asked for. */
    private static Store classStore(ExtensionContext context) {
        var ofClass = context;
        while (ofClass.getTestMethod().isPresent()) {
            ofClass = ofClass.getParent().orElseThrow();
        }
        return ofClass.getStore(NAMESPACE);
    }

    private static KubernetesClient client(ServerProcess server, Optional<String> namespace) {
        var config = server.access();
        namespace.ifPresent(config::setNamespace);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** Closed by JUnit when the class is done. */
    private record ClassClient(KubernetesClient client) implements AutoCloseable {
        static ClassClient of(ServerProcess server, ExtensionContext context) {
            var name = context.getRequiredTestClass().getSimpleName().toLowerCase(Locale.ROOT) + "-"
                    + UUID.randomUUID().toString().substring(0, 8);
            var client = ApiServer.client(server, Optional.of(name));
            client.resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(name)
                            .endMetadata()
                            .build())
                    .create();
            return new ClassClient(client);
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
