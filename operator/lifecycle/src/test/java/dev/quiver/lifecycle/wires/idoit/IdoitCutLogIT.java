package dev.quiver.lifecycle.wires.idoit;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.CutLog;
import dev.quiver.lifecycle.task.RepeatedRun;

/** The cut file of a tree on the wire of idoit. */
class IdoitCutLogIT extends CutLog {
    @Override
    protected RepeatedRun run(RedisStore store, Keyspace keyspace) {
        return new IdoitRepeatedRun(store, keyspace);
    }
}
