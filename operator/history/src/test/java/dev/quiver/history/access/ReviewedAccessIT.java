package dev.quiver.history.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.apiserver.ServerProcess;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.history.rig.Cluster;
import dev.quiver.history.rig.SignedToken;

/** Callers and rights as a real API server decides them. */
@ExtendWith(ApiServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReviewedAccessIT {

    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private Path signingKey;
    private Cluster cluster;
    private KubernetesApi api;
    private ReviewedAccess access;
    private String team;
    private String other;

    @BeforeAll
    void begin(KubernetesClient client, ServerProcess server, @TempDir Path folder) {
        signingKey = server.kubeconfigFile().resolveSibling("pki").resolve("sa.key");
        cluster = new Cluster(client, folder);
        team = cluster.namespace("team");
        other = cluster.namespace("other");
        api = cluster.api();
        access = new ReviewedAccess(api);
    }

    @AfterAll
    void end() {
        api.close();
    }

    private static Right right(Right.Verb verb, String kind, String namespace) {
        return Right.of(verb, kind, namespace, "run");
    }

    private static void refused(AccessException.Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        AccessException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void theReaderOfANamespaceReadsAllOfItAndNothingElse() {
        cluster.account(team, "quiver-reader");
        Caller reader = access.caller(cluster.token(team, "quiver-reader", List.of(Cluster.AUDIENCE)), HERE);
        assertThat(reader.readerOf()).contains(team);
        assertThat(access.may(reader, right(Right.Verb.GET, "TaskSet", team).ofLog()))
                .isTrue();
        assertThat(access.may(reader, right(Right.Verb.LIST, "of a newer program", team)))
                .isTrue();
        assertThat(access.may(reader, right(Right.Verb.DELETE, "TaskSet", team)))
                .isFalse();
        assertThat(access.may(reader, right(Right.Verb.GET, "TaskSet", other))).isFalse();
        Caller server = access.caller(cluster.token(team, "quiver-reader", List.of()), HERE);
        assertThat(server.readerOf()).as("a token for the API server").isEmpty();
        assertThat(access.may(server, right(Right.Verb.GET, "TaskSet", team))).isFalse();
    }

    @Test
    void tokensOfNobodyAreRefused() {
        cluster.account(team, "gone");
        String gone = cluster.token(team, "gone", List.of(Cluster.AUDIENCE));
        cluster.removeAccount(team, "gone");
        cluster.account(team, "worker");
        String worker = cluster.token(team, "worker", List.of("write.history.quiver.dev"));
        for (String token : List.of("", "false", "with a space", "ä", "x".repeat(20_000), gone, worker)) {
            refused(AccessException.Kind.UNKNOWN, () -> access.caller(token, HERE));
        }
    }

    /** Signed by the API server's own key, so its time alone decides: leeway is a minute. */
    @Test
    void aTokenThatHasExpiredIsRefused() throws Exception {
        cluster.account(team, "nightly");
        SignedToken token = SignedToken.of(cluster.token(team, "nightly", List.of(Cluster.AUDIENCE)), signingKey);
        Instant now = Instant.now();
        assertThat(access.caller(token.valid(now.minusSeconds(7200), now.plusSeconds(600)), HERE)
                        .user())
                .as("the signature is right")
                .endsWith(":nightly");
        refused(
                AccessException.Kind.UNKNOWN,
                () -> access.caller(token.valid(now.minusSeconds(7200), now.minusSeconds(120)), HERE));
        refused(
                AccessException.Kind.UNKNOWN,
                () -> access.caller(token.valid(now.plusSeconds(600), now.plusSeconds(1200)), HERE));
    }

    @Test
    void aTokenOfAPodEndsWithThePod() {
        cluster.account(team, "bound");
        String token = cluster.podToken(team, "bound", "pod-of-a-token", Cluster.AUDIENCE);
        assertThat(access.caller(token, HERE).user()).endsWith(":bound");
        cluster.removePod(team, "pod-of-a-token");
        // The API server keeps a token that it has reviewed for ten seconds, history for a minute.
        Awaitility.await()
                .untilAsserted(
                        () -> refused(AccessException.Kind.UNKNOWN, () -> new ReviewedAccess(api).caller(token, HERE)));
    }

    @Test
    void otherAccountsGoByTheClustersAuthorizers() {
        cluster.account(team, "ci");
        cluster.may(team, "ci", "get", "quiver.dev", "tasksets", "mapreducejobs/log");
        cluster.may(team, "ci", "list", "quiver.dev", "qtasks");
        for (List<String> audiences : List.of(List.of(Cluster.AUDIENCE), List.<String>of())) {
            Caller ci = access.caller(cluster.token(team, "ci", audiences), HERE);
            assertThat(ci.readerOf()).isEmpty();
            assertThat(access.may(ci, right(Right.Verb.GET, "TaskSet", team))).isTrue();
            assertThat(access.may(ci, right(Right.Verb.GET, "TaskSet", team).ofLog()))
                    .isFalse();
            assertThat(access.may(
                            ci, right(Right.Verb.GET, "MapReduceJob", team).ofLog()))
                    .isTrue();
            assertThat(access.may(ci, right(Right.Verb.LIST, "TaskSet", team))).isFalse();
            assertThat(access.may(ci, right(Right.Verb.LIST, "Task", team))).isTrue();
            assertThat(access.may(ci, right(Right.Verb.LIST, "Queue", team))).isTrue();
            assertThat(access.may(ci, right(Right.Verb.GET, "TaskSet", other))).isFalse();
            assertThat(access.may(ci, right(Right.Verb.GET, "of a newer program", team)))
                    .isFalse();
        }
    }

    @Test
    void aFloodOfFalseTokensIsBoundedAndDisturbsNoKnownCaller() throws Exception {
        InetAddress there = InetAddress.getByAddress(new byte[] {10, 1, 2, 3});
        cluster.account(team, "known");
        String known = cluster.token(team, "known", List.of(Cluster.AUDIENCE));
        assertThat(access.caller(known, there).user()).endsWith(":known");
        refused(AccessException.Kind.TOO_MANY, () -> {
            for (int i = 0; i < 1000; i++) {
                String token = "false-" + i;
                try {
                    access.caller(token, there);
                } catch (AccessException e) {
                    if (e.kind() != AccessException.Kind.UNKNOWN) {
                        throw e;
                    }
                }
            }
        });
        assertThat(access.caller(known, there).user()).endsWith(":known");
    }

    @Test
    void aNamespaceIsKnownByItsUid() {
        assertThat(access.living(team)).contains(cluster.uid(team)).isNotEqualTo(access.living(other));
        assertThat(access.living("no-such-namespace")).isEmpty();
        assertThat(access.living("../" + team)).isEmpty();
        try (KubernetesApi away = new KubernetesApi(URI.create("https://127.0.0.1:1"), cluster.folder())) {
            refused(AccessException.Kind.AWAY, () -> new ReviewedAccess(away).living(team));
        }
    }

    @Test
    void nothingIsOpenWhileTheApiServerIsAway() throws Exception {
        cluster.account(team, "late");
        String late = cluster.token(team, "late", List.of(Cluster.AUDIENCE));
        try (KubernetesApi away = new KubernetesApi(URI.create("https://127.0.0.1:1"), cluster.folder())) {
            ReviewedAccess closed = new ReviewedAccess(away);
            refused(AccessException.Kind.AWAY, () -> closed.caller(late, HERE));
            Caller caller = access.caller(late, HERE);
            refused(AccessException.Kind.AWAY, () -> closed.may(caller, right(Right.Verb.GET, "TaskSet", team)));
            assertThat(caller.readerOf()).isEqualTo(Optional.empty());
        }
    }
}
