package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.controller.store.StoreWatch;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.lifecycle.redis.RedisEndpoint;

/** The certificates that supervisors trust at history come with the namespace's Secret, and are renewed there. */
@ExtendWith(ApiServer.class)
class HistoryAuthoritiesIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private Clock clock = Clock.systemUTC();

    @AfterEach
    void forget(KubernetesClient client) {
        client.secrets().withName("quiver-redis").delete();
    }

    @Test
    void aRenewedFileIsInTheSecretWithTheNextLook(KubernetesClient client) throws IOException {
        Path file = folder.resolve("ca.crt");
        Tenants tenants = tenants(client, Tenancy.SHARED, Optional.empty(), Optional.of(file));
        tenants.ensure(client.getNamespace());
        assertThat(authorities(client)).as("no file yet").isEmpty();
        Files.writeString(file, "first");
        tenants.ensure(client.getNamespace());
        assertThat(authorities(client)).as("a look each minute").isEmpty();
        assertThat(afterAMinute(tenants, client)).isEqualTo("first");
        Files.writeString(file, "renewed");
        assertThat(afterAMinute(tenants, client)).isEqualTo("renewed");
        Files.delete(file);
        assertThat(afterAMinute(tenants, client)).isEmpty();
    }

    @Test
    void aSecretThatSomebodyElseMadeKeepsItsOwnKeys(KubernetesClient client) throws IOException {
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("quiver-redis")
                        .endMetadata()
                        .addToStringData(Map.of("uri", "redis://elsewhere:6379", "mode", "standalone"))
                        .build())
                .create();
        Path file = Files.writeString(folder.resolve("ca.crt"), "first");
        Tenants tenants = tenants(client, Tenancy.SECRETS, Optional.of(folder), Optional.of(file));
        tenants.ensure(client.getNamespace());
        assertThat(tenants.problem(client.getNamespace())).isEmpty();
        assertThat(authorities(client)).isEqualTo("first");
        assertThat(text(secret(client), "uri")).isEqualTo("redis://elsewhere:6379");
    }

    @Test
    void withoutThemTheSecretHasNothingOfIt(KubernetesClient client) {
        tenants(client, Tenancy.SHARED, Optional.empty(), Optional.empty()).ensure(client.getNamespace());
        assertThat(secret(client).getData()).containsOnlyKeys("uri", "mode");
    }

    private Tenants tenants(
            KubernetesClient client, Tenancy tenancy, Optional<Path> prepared, Optional<Path> authorities) {
        return new Tenants(
                new Tenants.Settings(
                        tenancy,
                        RedisEndpoint.standalone("redis://127.0.0.1:6379"),
                        prepared,
                        namespace -> Optional.empty(),
                        authorities),
                client,
                new RedisUsers(null, null, new StoreWatch(null, Clock.systemUTC(), _ -> {})),
                new Clock() {
                    @Override
                    public ZoneId getZone() {
                        return clock.getZone();
                    }

                    @Override
                    public Clock withZone(ZoneId zone) {
                        return clock.withZone(zone);
                    }

                    @Override
                    public Instant instant() {
                        return clock.instant();
                    }
                },
                Optional.empty());
    }

    private String afterAMinute(Tenants tenants, KubernetesClient client) {
        clock = Clock.offset(clock, MINUTE);
        tenants.ensure(client.getNamespace());
        return authorities(client);
    }

    private static String authorities(KubernetesClient client) {
        return text(secret(client), "history-ca.crt");
    }

    private static Secret secret(KubernetesClient client) {
        return client.secrets().withName("quiver-redis").get();
    }

    private static String text(Secret secret, String key) {
        return new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
    }
}
