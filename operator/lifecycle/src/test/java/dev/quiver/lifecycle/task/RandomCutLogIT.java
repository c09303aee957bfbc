package dev.quiver.lifecycle.task;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** Cut logs of a random tree of the own dialect; {@code -Dquiver.seed=…} repeats one. */
class RandomCutLogIT extends CutLog {
    @Override
    protected RepeatedRun run(RedisStore store, Keyspace keyspace) {
        return new RandomRepeatedRun(store, keyspace, RandomRepeatedRun.SEED);
    }

    /** A tree in which each random choice is the smallest one has 22 entries in the log. */
    @Override
    protected int fewestCuts() {
        return 15;
    }

    @Override
    protected String repeat() {
        return "repeat with -Dquiver.seed=" + RandomRepeatedRun.SEED;
    }
}
