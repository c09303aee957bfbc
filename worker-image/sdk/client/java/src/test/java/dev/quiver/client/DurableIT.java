package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/** Programs that wait until a second server has what they created, on a Redis without WAITAOF. */
class DurableIT {

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Options DURABLE = Options.DEFAULT.durably();

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private Workers workers;
    private QuiverClient quiver;

    @BeforeEach
    void begin() {
        workers = new Workers(REDIS.process(), "durable" + NUMBER.incrementAndGet());
        quiver = workers.client(Duration.ofSeconds(3));
    }

    @AfterEach
    void end() {
        quiver.close();
        workers.close();
    }

    private long created() {
        return workers.operator.ask(redis -> redis.hlen(workers.keyspace.prefix() + "task:nodes"));
    }

    private boolean follows() {
        return workers.operator.ask(redis -> redis.info("replication")).contains("state=online");
    }

    @Test
    void aRedisThatCannotTellRefusesBeforeAnythingIsCreated() {
        assertThatThrownBy(() -> quiver.submit(List.of(Job.call("never")), DURABLE))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("cannot tell when tasks survive the loss of its machine")
                .hasMessageContaining("and no replica");
        assertThat(created()).isZero();
    }

    @Test
    void aReplicaThatHasThemIsWaitedForAndOneThatIsStuckIsToldOf() {
        try (RedisProcess replica =
                RedisProcess.start("--replicaof", "127.0.0.1 " + REDIS.process().port())) {
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(this::follows);
            quiver.submit(List.of(Job.call("never")), DURABLE);
            assertThat(created()).isOne();
            replica.pause();
            try {
                assertThatThrownBy(() -> quiver.submit(List.of(Job.call("never")), DURABLE))
                        .isInstanceOf(StoreUnreachableException.class)
                        .hasMessageContaining("the tasks are created, and no replica has confirmed them in 3 s");
            } finally {
                replica.resume();
            }
            quiver.flush();
            assertThat(created()).as("each counts once").isEqualTo(2);
            assertThat(quiver.pending()).isEmpty();
        }
    }
}
