package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;

/** Claims of many workers, with ranks and without, are those of one list of all that waits. */
class RandomRanksIT {

    private static final int STEPS = 150;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** Claims of further lives; the soak has a million. */
    private static final long CLAIMS = Long.getLong("quiver.ranks", 300);

    @Test
    void soItIsInManyLives() {
        long claims = 0;
        for (long seed = 1000; claims < CLAIMS; seed++) {
            RankRun run = new RankRun(seed, REDIS);
            try {
                run.run(STEPS);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " after " + claims + " claims: " + e.getMessage(), e);
            }
            claims += run.claims();
        }
        assertThat(claims).isGreaterThanOrEqualTo(CLAIMS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void eachClaimIsTheFirstOfTheList(long seed) {
        assertThat(new RankRun(seed, REDIS).run(STEPS)).isGreaterThan(50);
    }
}
