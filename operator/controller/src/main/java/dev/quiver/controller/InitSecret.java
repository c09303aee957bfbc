package dev.quiver.controller;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import picocli.CommandLine.Command;

import dev.quiver.controller.tenancy.Passwords;
import dev.quiver.crds.v1alpha1.Quiver;

/**
 * Makes the Secret of the chart's own Redis if it is missing, and writes the operator's endpoint into its directory. An
 * existing password is never changed: a template that makes one would change it at every sync. Idempotent, and safe for
 * two at a time.
 */
@Command(name = "init-secret", description = "Makes the Secret of the chart's Redis, once; for the init container.")
final class InitSecret implements Callable<Integer> {

    /**
     * The Secret to make.
     *
     * @param name of the Secret
     * @param directory that gets the files {@code uri} and {@code mode}
     */
    record Target(String namespace, String name, String host, int port, Path directory) {

        static Target ofEnvironment(Map<String, String> environment) {
            Variables variables = new Variables(environment);
            return new Target(
                    variables.text("QUIVER_NAMESPACE", "default"),
                    variables.text("QUIVER_REDIS_SECRET", "quiver-redis-admin"),
                    variables.text("QUIVER_REDIS_HOST"),
                    variables.number("QUIVER_REDIS_PORT", 6379, 1, 65_535),
                    Path.of(variables.text("QUIVER_REDIS_DIR", "/quiver/redis")));
        }

        /** The operator's own user: the chart's Redis ends connections of the default one that come from outside. */
        String uri(String password) {
            return "redis://quiver.admin:" + password + "@" + host + ":" + port + "/0";
        }
    }

    @Override
    public Integer call() throws IOException {
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            ensure(client, Target.ofEnvironment(System.getenv()));
            return 0;
        }
    }

    static void ensure(KubernetesClient client, Target target) throws IOException {
        Secret secret = client.secrets()
                .inNamespace(target.namespace())
                .withName(target.name())
                .get();
        if (secret == null) {
            secret = create(client, target);
        }
        String password = decoded(secret, "password")
                .orElseThrow(() -> new IllegalStateException("Secret " + target.name() + " has no key password"));
        String uri = target.uri(password);
        if (!decoded(secret, "uri").filter(uri::equals).isPresent()) {
            client.secrets()
                    .inNamespace(target.namespace())
                    .withName(target.name())
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            "{\"data\":{\"uri\":\"" + encoded(uri) + "\",\"mode\":\"" + encoded("standalone") + "\"}}");
        }
        Files.writeString(target.directory().resolve("uri"), uri);
        Files.writeString(target.directory().resolve("mode"), "standalone");
    }

    private static Secret create(KubernetesClient client, Target target) {
        String password = Passwords.fresh();
        Secret fresh = new SecretBuilder()
                .withNewMetadata()
                .withName(target.name())
                .withNamespace(target.namespace())
                .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                .endMetadata()
                .withType("Opaque")
                .addToData("password", encoded(password))
                .addToData("uri", encoded(target.uri(password)))
                .addToData("mode", encoded("standalone"))
                .build();
        try {
            return client.resource(fresh).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
            return client.secrets()
                    .inNamespace(target.namespace())
                    .withName(target.name())
                    .require();
        }
    }

    private static Optional<String> decoded(Secret secret, String key) {
        return Optional.ofNullable(secret.getData())
                .map(d -> d.get(key))
                .map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8));
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
