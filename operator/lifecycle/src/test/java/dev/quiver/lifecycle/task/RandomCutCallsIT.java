package dev.quiver.lifecycle.task;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * Lost calls in random trees of the own dialect. {@code -Dquiver.cut.trees=…} is for more of them, {@code -Dquiver.seed=…}
 * repeats one.
 */
class RandomCutCallsIT extends CutCalls {

    private static final int TREES = Integer.getInteger("quiver.cut.trees", 1);

    private long seed;

    @Override
    protected String life() {
        return Long.toString(seed);
    }

    @Override
    protected RepeatedRun run(RedisStore store, Keyspace keyspace) {
        return new RandomRepeatedRun(store, keyspace, seed);
    }

    @Override
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    protected void eachCallMayBeLost(boolean reply) {
        for (int i = 0; i < TREES; i++) {
            seed = RandomRepeatedRun.SEED + i;
            try {
                super.eachCallMayBeLost(reply);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("repeat with -Dquiver.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
