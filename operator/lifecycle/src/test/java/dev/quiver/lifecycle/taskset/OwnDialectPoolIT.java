package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.RedisServer;
import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.ScriptCode;

/** The pools' contract on the own dialect and a real Redis. */
class OwnDialectPoolIT extends PoolContract {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static RedisStore store;

    @BeforeAll
    static void connect() {
        store = REDIS.open();
    }

    @AfterAll
    static void disconnect() {
        store.close();
    }

    /** Opens a session as {@code pod} does, in a pool of so many at most. */
    private static ScriptCode open(World world, String pod, int most) {
        WorkerIdentity worker = World.worker(pod);
        ScriptKeys keys = new ScriptKeys(world.keyspace, "p", "new-session", "");
        return store.run(
                        TaskSetScripts.OPEN_SESSION,
                        TaskSetScripts.OPEN_SESSION.keys(keys::key, List.of()),
                        "new-session",
                        "10000",
                        worker.pool(),
                        worker.poolUid(),
                        worker.podUid(),
                        WorkerRecordJson.write(worker, WorkerState.of(0, false)),
                        Integer.toString(most),
                        "0")
                .code();
    }

    @Test
    void leavesAnEarlierSessionAloneWhenThePoolIsFull() {
        try (World world = new World(dialect())) {
            world.open("u", 5);
            WorkSession earlier = world.session("a");
            world.session("b");
            World.claim(earlier, "u", 2);

            assertThat(open(world, "a", 1)).isEqualTo(ScriptCode.POOL_FULL);
            assertThat(earlier.beat(List.of("u"), 2, false)).isInstanceOf(BeatOutcome.Renewed.class);
            assertThat(open(world, "c", 2)).isEqualTo(ScriptCode.POOL_FULL);

            assertThat(open(world, "a", 2))
                    .as("it takes the place of its own earlier one")
                    .isEqualTo(ScriptCode.OK);
            assertThat(earlier.beat(List.of("u"), 2, false)).isEqualTo(new BeatOutcome.Condemned());
        }
    }

    @Override
    TaskSetDialect dialect() {
        return new OwnDialect(store);
    }
}
