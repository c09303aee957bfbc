package dev.quiver.lifecycle.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;

/** A watcher ends a session that it has found expired; the session may have been heard of since. */
class FenceIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String SESSION = "0123456789abcdef";
    private static final long MINUTE = 60_000;

    private final Keyspace keyspace = Keyspace.ofNamespace("fence");
    private RedisStore store;

    @BeforeEach
    void clear() {
        store = REDIS.store();
        store.ask(redis -> redis.del(keyspace.sessions(), keyspace.fenced(), keyspace.meta()));
    }

    /** Times are how many ms they lie ahead. */
    private void session(long leaseEnds, long reapAfter) {
        long now = System.currentTimeMillis(); // the server runs here
        store.ask(redis -> redis.zadd(keyspace.sessions(), now + leaseEnds, SESSION));
        store.ask(redis -> redis.hset(
                keyspace.meta(),
                Map.of("reap_after", Long.toString(now + reapAfter), "history_bytes", "0", "history_most", "0")));
    }

    private ScriptReply fence(boolean byItself) {
        SessionKeys keys = new SessionKeys(keyspace, "p", SESSION);
        return store.run(
                WorkerScripts.FENCE,
                WorkerScripts.FENCE.keys(keys::key, List.of()),
                SESSION,
                byItself ? "1" : "0",
                "p",
                WorkerEntries.left("p", "lease ended"));
    }

    private boolean lives() {
        return store.<Double>ask(redis -> redis.zscore(keyspace.sessions(), SESSION)) != null;
    }

    @ParameterizedTest
    @CsvSource({
        "1, -1, its lease was renewed",
        "-1, 1, a silence of all watchers is nobody's fault",
        "1, 1, neither has passed"
    })
    void sessionLivesUntilItsLeaseAndTheTimeForAllHavePassed(int lease, int reapAfter, String why) {
        session(lease * MINUTE, reapAfter * MINUTE);
        assertThat(fence(false).code()).as(why).isEqualTo(ScriptCode.NOTHING);
        assertThat(lives()).as(why).isTrue();
        assertThat(store.<Long>ask(redis -> redis.zcard(keyspace.fenced()))).isZero();
    }

    @Test
    void sessionEndsOnceBothHavePassed() {
        session(-MINUTE, -MINUTE);
        ScriptReply first = fence(false);
        assertThat(first.code()).isEqualTo(ScriptCode.OK);
        assertThat(first.number("fenced")).isEqualTo(1);
        assertThat(lives()).isFalse();
        assertThat(fence(false).number("fenced")).as("again").isZero();
    }

    @Test
    void sessionThatClosesWaitsForNeither() {
        session(MINUTE, MINUTE);
        assertThat(fence(true).number("fenced")).isEqualTo(1);
        assertThat(lives()).isFalse();
    }
}
