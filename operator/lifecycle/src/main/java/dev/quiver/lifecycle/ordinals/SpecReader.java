package dev.quiver.lifecycle.ordinals;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.redis.RedisStore;

/** Reads the specification of a source's tasks. */
public record SpecReader(RedisStore store) {

    /** A specification is never larger than a resource can be. */
    private static final int SPEC_BYTES = 4 << 20;

    /** Absent where there is no such source. */
    public Optional<ExecutionSpec> read(OrdinalKeys source) {
        List<Optional<String>> fields = new BoundedReads(store).fields(source.hash(), SPEC_BYTES, "spec", "max_trials");
        return fields.getFirst()
                .map(ExecutionSpecJson::read)
                .map(spec ->
                        spec.allowing(fields.getLast().map(Integer::parseInt).orElse(0)));
    }
}
