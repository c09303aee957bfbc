package dev.quiver.lifecycle.wires.idoit;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.CutCalls;
import dev.quiver.lifecycle.task.RepeatedRun;

/** Lost calls on the wire of idoit. */
class IdoitCutCallsIT extends CutCalls {
    @Override
    protected RepeatedRun run(RedisStore store, Keyspace keyspace) {
        return new IdoitRepeatedRun(store, keyspace);
    }
}
