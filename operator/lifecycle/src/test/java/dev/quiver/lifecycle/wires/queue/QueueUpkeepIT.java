package dev.quiver.lifecycle.wires.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;

/** A postponed job begins within a second: each look sets the time of the next one, by Redis' own clock. */
class QueueUpkeepIT {

    private static final long SECOND = 1_000;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void nextLookIsWithinASecond() {
        try (QueueWorld world = new QueueWorld(REDIS)) {
            long before = now(world);
            world.tick();
            Double next = world.store.ask(redis -> redis.zscore(world.keyspace.delayed(), QueueSource.source("p")));
            assertThat(next).as("the next look is planned").isNotNull();
            assertThat(next.longValue()).isGreaterThan(before).isLessThanOrEqualTo(now(world) + SECOND);
        }
    }

    private static long now(QueueWorld world) {
        List<String> time = world.store.ask(redis -> redis.time());
        return Long.parseLong(time.get(0)) * SECOND + Long.parseLong(time.get(1)) / SECOND;
    }
}
