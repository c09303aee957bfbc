package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;

/** Commands that come late and in any order break no permit, and in the end no task waits. */
class RandomLateCommandsIT {

    private static final int STEPS = 150;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noPermitIsGivenTwiceAndNoTaskWaitsForEver(long seed) {
        assertThat(new LateCommandsRun(seed, REDIS).run(STEPS)).isGreaterThan(100);
    }
}
