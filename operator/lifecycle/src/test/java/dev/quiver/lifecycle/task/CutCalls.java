package dev.quiver.lifecycle.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;

/** A tree's life in which one call is lost, at each position: the keyspace at the end is that of the life without a loss. */
public abstract class CutCalls {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** A life of the dialect. */
    protected abstract RepeatedRun run(RedisStore store, Keyspace keyspace);

    /** Tells lives apart where a class has several. */
    protected String life() {
        return "";
    }

    /** One of the class's own: those of both dialects share a Redis, and may run at the same time. */
    private Keyspace keyspace(String name) {
        return Keyspace.of(getClass().getSimpleName().toLowerCase(Locale.ROOT) + life(), name);
    }

    private Map<String, String> uncut() {
        RepeatedRun life = run(REDIS.store(), keyspace("none"));
        life.settle();
        life.live();
        return life.remains();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    protected void eachCallMayBeLost(boolean reply) {
        Map<String, String> expected = uncut();
        int cuts = 0;
        boolean lost = true;
        while (lost) {
            Keyspace keyspace = keyspace((reply ? "reply" : "request") + cuts);
            RepeatedRun sure = run(REDIS.store(), keyspace);
            sure.settle();
            try (LossyProxy proxy = new LossyProxy(REDIS.process().port());
                    RedisStore lossy = RedisStore.open(proxy.endpoint(), "lossy")) {
                lossy.ping();
                proxy.loseAfter(cuts, reply);
                run(lossy, keyspace).live();
                lost = !proxy.armed();
            }
            assertThat(sure.remains()).as("cut at call %s", cuts).isEqualTo(expected);
            cuts++;
        }
        assertThat(cuts).isGreaterThan(20);
    }
}
