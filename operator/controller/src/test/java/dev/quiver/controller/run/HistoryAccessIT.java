package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.lettuce.core.ScriptOutputType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.OperatorOnRedis;
import dev.quiver.controller.rig.Seen;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;

/** History reaches the streams of all namespaces, through a Secret beside the operator, and nothing else. */
class HistoryAccessIT extends OperatorOnRedis {

    private static final String SECRET = "quiver-redis-history";

    @Test
    void readsAndTrimsStreamsOfAnyNamespaceAndCanDoNoMore(KubernetesClient client) {
        try (RedisStore history = open(client)) {
            for (Keyspace keyspace : List.of(Keyspace.ofNamespace("team-a"), Keyspace.of("team-b", "nightly"))) {
                try (RedisStore administrator = redis.open()) {
                    administrator.ask(all -> all.xadd(keyspace.history(), "k", "o"));
                }
                HistoryStream stream = new HistoryStream(history, keyspace);
                HistoryStream.Page page = Seen.until(
                        () -> stream.read(10), read -> !read.entries().isEmpty());
                assertThat(stream.trim(page)).isEqualTo(1);
                refused(() -> history.ask(all -> all.xadd(keyspace.history(), "k", "o")));
                refused(() -> history.ask(all -> all.hset(keyspace.session("s"), "pod", "p")));
                refused(() -> history.ask(all -> all.hset(keyspace.prefix() + "taskset:u", "status", "x")));
            }
            refused(() -> history.ask(all -> all.get("other")));
            refused(() -> history.ask(all -> all.keys("*")));
            refused(() -> history.ask(all -> all.flushall()));
            refused(() -> history.ask(all -> all.eval("return 1", ScriptOutputType.INTEGER)));
            refused(() -> history.ask(all -> all.aclList()));
            refused(() -> history.ask(all -> all.aclDeluser("default")));
            refused(() -> history.ask(all -> all.configGet("*")));
        }
    }

    @Test
    void thePasswordStaysAndTheUserComesBackAfterARestartOfRedis(KubernetesClient client) {
        String uri = uri(client);
        redis.restart();
        try (RedisStore history = open(client)) {
            Seen.until(() -> new HistoryStream(history, Keyspace.ofNamespace("team-c")).read(1), page -> true);
        }
        assertThat(uri(client)).isEqualTo(uri);
    }

    @Test
    void itsSecretHasTheKeysOfTheOperatorsOwn(KubernetesClient client) {
        String uri = uri(client);
        Secret secret = client.secrets().withName(SECRET).get();
        assertThat(secret.getData()).containsOnlyKeys("uri", "mode");
        assertThat(uri).matches("redis://quiver\\.history:[0-9a-f]{48}@127\\.0\\.0\\.1:" + redis.port() + ".*");
        assertThat(secret.getMetadata().getLabels()).containsEntry("app.kubernetes.io/managed-by", "quiver");
    }

    private static RedisStore open(KubernetesClient client) {
        RedisStore store = PatientStore.open(RedisEndpoint.standalone(uri(client)), "history", Lifecycle.LIBRARY);
        Seen.until(() -> works(store), works -> works);
        return store;
    }

    private static boolean works(RedisStore store) {
        try {
            store.ping();
            return true;
        } catch (StoreException notYet) {
            return false;
        }
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call).hasMessageContaining("NOPERM");
    }

    private static String uri(KubernetesClient client) {
        Map<String, String> data = Seen.until(
                        () -> client.secrets().withName(SECRET).get(), secret -> secret != null)
                .getData();
        return new String(Base64.getDecoder().decode(data.get("uri")), StandardCharsets.UTF_8);
    }
}
