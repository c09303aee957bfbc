package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;

/** Claims of many workers, with ranks and without, are those of one list of all that waits. */
class RandomRanksIT {

    private static final int STEPS = 150;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void eachClaimIsTheFirstOfTheList(long seed) {
        assertThat(new RankRun(seed, REDIS).run(STEPS)).isGreaterThan(50);
    }
}
