package dev.quiver.lifecycle.taskset;

import java.util.Optional;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.RedisStore;

/** Reads what a set's tasks execute. */
record SpecReader(RedisStore store, Keyspace keyspace) {

    Optional<ExecutionSpec> read(String uid) {
        String set = new TaskSetKeys(keyspace, uid).set();
        Optional<String> text = store.ask(redis -> redis.hget(set, "spec").thenApply(Optional::ofNullable));
        return text.map(ExecutionSpecJson::read);
    }
}
