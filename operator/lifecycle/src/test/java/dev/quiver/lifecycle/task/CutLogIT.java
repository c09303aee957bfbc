package dev.quiver.lifecycle.task;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** The cut file of a tree in the own dialect. */
class CutLogIT extends CutLog {
    @Override
    protected RepeatedRun run(RedisStore store, Keyspace keyspace) {
        return new OwnRepeatedRun(store, keyspace);
    }
}
