package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store over TLS and behind a Sentinel. */
class DeploymentsIT {

    @TempDir
    private Path folder;

    @BeforeEach
    void needsRedis() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
    }

    @Test
    void trustsTheCertificateOfTheSecretAndNoOther() throws Exception {
        makeCertificate("redis");
        makeCertificate("other");
        int tlsPort = FreePort.next();
        try (RedisProcess redis = RedisProcess.start(
                "--tls-port",
                Integer.toString(tlsPort),
                "--tls-cert-file",
                folder.resolve("redis.crt").toString(),
                "--tls-key-file",
                folder.resolve("redis.key").toString(),
                "--tls-ca-cert-file",
                folder.resolve("redis.crt").toString(),
                "--tls-auth-clients",
                "no")) {
            Path secret = Files.createDirectory(folder.resolve("secret"));
            Files.writeString(secret.resolve("uri"), "rediss://127.0.0.1:" + tlsPort);
            Files.copy(folder.resolve("redis.crt"), secret.resolve("ca.crt"));
            try (RedisStore store = RedisStore.open(RedisEndpoint.read(secret), "tls")) {
                // The first of a JVM takes long.
                Awaitility.await().ignoreExceptions().untilAsserted(store::ping);
                assertThat(store.runId("x")).isPresent();
            }
            RedisEndpoint wrong = new RedisEndpoint(
                    "rediss://127.0.0.1:" + tlsPort, RedisMode.STANDALONE, Optional.of(folder.resolve("other.crt")));
            try (RedisStore store = RedisStore.open(wrong, "tls")) {
                assertThatThrownBy(store::ping).isInstanceOf(StoreUnreachableException.class);
            }
            assertThat(redis.pid()).isPositive();
        }
    }

    private void makeCertificate(String name) throws IOException, InterruptedException {
        Process openssl;
        try {
            openssl = new ProcessBuilder(
                            "openssl",
                            "req",
                            "-x509",
                            "-newkey",
                            "rsa:2048",
                            "-nodes",
                            "-days",
                            "2",
                            "-subj",
                            "/CN=" + name,
                            "-addext",
                            "subjectAltName=IP:127.0.0.1",
                            "-keyout",
                            name + ".key",
                            "-out",
                            name + ".crt")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("openssl.log").toFile())
                    .start();
        } catch (IOException e) {
            Assumptions.abort("openssl is not installed: apt-get install openssl");
            throw e;
        }
        assertThat(openssl.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(openssl.exitValue()).isZero();
    }

    @Test
    void followsTheMasterThatASentinelNames() throws Exception {
        try (RedisProcess master = RedisProcess.start();
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port())) {
            int port = FreePort.next();
            Path config = folder.resolve("sentinel.conf");
            Files.write(
                    config,
                    List.of(
                            "port " + port,
                            "bind 127.0.0.1",
                            "dir " + folder,
                            "sentinel monitor m 127.0.0.1 " + master.port() + " 1",
                            "sentinel down-after-milliseconds m 60000",
                            "sentinel failover-timeout m 3000"));
            Process sentinel = new ProcessBuilder("redis-server", config.toString(), "--sentinel")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("sentinel.log").toFile())
                    .start();
            try (RedisStore store = RedisStore.open(
                            new RedisEndpoint(
                                    "redis-sentinel://127.0.0.1:" + port + "#m", RedisMode.SENTINEL, Optional.empty()),
                            "sentinel");
                    RedisStore direct = replica.open()) {
                Awaitility.await()
                        .ignoreExceptions()
                        .until(() ->
                                direct.ask(redis -> redis.info("replication")).contains("master_link_status:up"));
                Awaitility.await()
                        .ignoreExceptions()
                        .until(() -> store.ask(redis -> redis.set("k", "1")).equals("OK"));
                Optional<String> before = store.runId("k");
                // The sentinel has to know the replica before it can name it.
                try (RedisStore asked =
                        RedisStore.open(RedisEndpoint.standalone("redis://127.0.0.1:" + master.port()), "test")) {
                    Awaitility.await()
                            .until(() -> asked.ask(redis -> redis.info("replication"))
                                    .contains("state=online"));
                }
                Awaitility.await()
                        .until(() ->
                                Files.readString(folder.resolve("sentinel.log")).contains("+slave"));
                // Only now: on a busy machine a living master may be silent for as long.
                noticeAfterHalfASecond(port);
                master.kill();
                Awaitility.await()
                        .ignoreExceptions()
                        .until(() -> store.ask(redis -> redis.set("k", "2")).equals("OK"));
                assertThat(store.runId("k")).isPresent().isNotEqualTo(before);
            } finally {
                sentinel.destroyForcibly();
                sentinel.waitFor();
            }
        }
    }

    private static void noticeAfterHalfASecond(int sentinel) {
        try (RedisClient client = RedisClient.create();
                var connection = client.connectSentinel(RedisURI.create("127.0.0.1", sentinel))) {
            assertThat(connection.sync().set("m", "down-after-milliseconds", "500"))
                    .isEqualTo("OK");
        }
    }
}
