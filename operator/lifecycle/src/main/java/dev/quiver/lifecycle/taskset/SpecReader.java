package dev.quiver.lifecycle.taskset;

import java.util.List;
import java.util.Optional;

import io.lettuce.core.KeyValue;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.RedisStore;

/** Reads what a set's tasks execute. */
record SpecReader(RedisStore store, Keyspace keyspace) {

    Optional<ExecutionSpec> read(String uid) {
        String set = new TaskSetKeys(keyspace, uid).set();
        List<KeyValue<String, String>> fields = store.ask(redis -> redis.hmget(set, "spec", "max_trials"));
        return fields.getFirst()
                .optional()
                .map(ExecutionSpecJson::read)
                .map(spec ->
                        spec.allowing(fields.getLast().map(Integer::parseInt).getValueOrElse(0)));
    }
}
