package dev.quiver.lifecycle.taskset;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** Reads what a set's tasks execute. */
record SpecReader(RedisStore store, Keyspace keyspace) {

    /** No specification is larger than a resource can be. */
    static final int SPEC_BYTES = 4 << 20;

    Optional<ExecutionSpec> read(String uid) {
        String set = new TaskSetKeys(keyspace, uid).set();
        List<Optional<String>> fields = new BoundedReads(store).fields(set, SPEC_BYTES, "spec", "max_trials");
        return fields.getFirst()
                .map(ExecutionSpecJson::read)
                .map(spec ->
                        spec.allowing(fields.getLast().map(Integer::parseInt).orElse(0)));
    }
}
