package dev.quiver.lifecycle.task;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** Lost calls in the own dialect. */
class CutCallsIT extends CutCalls {
    @Override
    protected RepeatedRun run(RedisStore store, Keyspace keyspace) {
        return new OwnRepeatedRun(store, keyspace);
    }
}
