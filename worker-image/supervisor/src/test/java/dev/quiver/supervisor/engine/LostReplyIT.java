package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.supervisor.PoolFixture;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.NoopExecutor;

/** A network that loses requests and replies in the middle of a run. */
class LostReplyIT {

    private static final int TASKS = 30_000;
    /** Each third one loses something, which takes a second or two. */
    private static final int ONE_BY_ONE = 42;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void countsEachTaskOnceWhateverTheNetworkLoses() {
        try (PoolFixture pool = new PoolFixture(REDIS.endpoint());
                LossyProxy proxy = new LossyProxy(REDIS.process().port());
                RedisStore store = RedisStore.open(proxy.endpoint(), "lossy")) {
            try (Engine engine = engine(store, pool)) {
                engine.start();
                await().until(() -> engine.status().session().isPresent());
                pool.open("set-1", TASKS, TaskSetLimits.DEFAULT, "true");
                for (int loss = 0; loss < 12; loss++) {
                    long before = engine.stats().of(Counter.RETRIES);
                    if (loss % 2 == 0) {
                        proxy.loseNextReply();
                    } else {
                        proxy.loseNextRequest();
                    }
                    await().pollInterval(Duration.ofMillis(5))
                            .until(() -> engine.stats().of(Counter.RETRIES) > before);
                }
                await().untilAsserted(() ->
                        assertThat(pool.snapshot("set-1").status()).isEqualTo(TaskSetState.SUCCEEDED));
                assertThat(pool.snapshot("set-1").succeeded()).isEqualTo(TASKS);
                assertThat(pool.snapshot("set-1").trials()).isEqualTo(TASKS);
                assertThat(pool.snapshot("set-1").lost()).isZero();
                // Counted when the reply arrives, which is after the snapshot can show it.
                await().untilAsserted(() ->
                        assertThat(engine.stats().of(Counter.PASSED)).isEqualTo(TASKS));
                assertThat(engine.stats().of(Counter.SESSIONS)).isEqualTo(1);
            }
        }
    }

    /** The claims go out on the connection that waits for work, which breaks, too. */
    @Test
    void countsEachTaskOnceWhenTheyComeOneByOne() {
        try (PoolFixture pool = new PoolFixture(REDIS.endpoint());
                LossyProxy proxy = new LossyProxy(REDIS.process().port());
                RedisStore store = RedisStore.open(proxy.endpoint(), "lossy")) {
            try (Engine engine = engine(store, pool)) {
                engine.start();
                await().until(() -> engine.status().session().isPresent());
                pool.openFed("fed", "true");
                for (int task = 0; task < ONE_BY_ONE; task++) {
                    if (task % 6 == 2) {
                        proxy.loseNextReply();
                    } else if (task % 6 == 5) {
                        proxy.loseNextRequest();
                    }
                    long expected = task + 1;
                    pool.feed("fed", task);
                    await().pollInterval(Duration.ofMillis(1))
                            .untilAsserted(() ->
                                    assertThat(pool.snapshot("fed").succeeded()).isEqualTo(expected));
                }
                assertThat(pool.snapshot("fed").trials()).isEqualTo(ONE_BY_ONE);
                assertThat(pool.snapshot("fed").lost()).isZero();
                assertThat(pool.snapshot("fed").running()).isZero();
                assertThat(engine.stats().of(Counter.SESSIONS)).isEqualTo(1);
            }
        }
    }

    private static Engine engine(RedisStore store, PoolFixture pool) {
        Lifecycle lifecycle = new Lifecycle(store);
        return new Engine(
                lifecycle.sessions(pool.keyspace()),
                lifecycle.reaper(pool.keyspace()),
                new NoopExecutor(4),
                new EngineSettings(PoolFixture.worker("a", 4), Duration.ZERO),
                new StoreTrouble());
    }
}
