package dev.quiver.lifecycle.wires.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;

/** Work that is due on the wire is done within a second: each look sets the time of the next one, by Redis' own clock. */
class IdoitUpkeepIT {

    private static final long SECOND = 1_000;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void nextLookIsWithinASecond() {
        try (IdoitWorld world = new IdoitWorld(REDIS)) {
            long before = now(world);
            world.tick("p");
            Double next = world.store.ask(redis -> redis.zscore(world.keyspace.delayed(), IdoitQueues.source("p")));
            assertThat(next).as("the next look is planned").isNotNull();
            assertThat(next.longValue()).isGreaterThan(before).isLessThanOrEqualTo(now(world) + SECOND);
        }
    }

    private static long now(IdoitWorld world) {
        List<String> time = world.store.ask(redis -> redis.time());
        return Long.parseLong(time.get(0)) * SECOND + Long.parseLong(time.get(1)) / SECOND;
    }
}
