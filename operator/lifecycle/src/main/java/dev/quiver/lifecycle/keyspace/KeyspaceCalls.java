package dev.quiver.lifecycle.keyspace;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/** The notice of a keyspace about the functions that programs call. The operator writes it. */
public final class KeyspaceCalls {

    private KeyspaceCalls() {}

    /**
     * Reads the name of the functions and has the store call them.
     *
     * @throws StoreRefusedException in words for a keyspace that nobody looks after, that a newer version wrote, or whose
     *     Redis has no functions
     */
    public static void follow(RedisStore store, Keyspace keyspace) {
        List<Optional<String>> fields =
                store.ask(redis -> redis.hmget(keyspace.meta(), "schema", "calls", "library")).stream()
                        .map(field -> Optional.ofNullable(field.getValueOrElse(null)))
                        .toList();
        if (fields.getFirst().isEmpty()) {
            throw refused("there is no keyspace " + keyspace.prefix() + ": no WorkerPool has it");
        }
        check(keyspace, "layout", fields.getFirst(), KeyspaceHealth.SCHEMA);
        check(keyspace, "calls", fields.get(1), KeyspaceHealth.CALLS);
        String library = fields.get(2).orElse("");
        if (library.isEmpty()) {
            throw refused("the operator of keyspace " + keyspace.prefix()
                    + " names no functions: it is older than this client, or its Redis has none");
        }
        if (store.library().filter(known -> known.name().equals(library)).isEmpty()) {
            store.follow(ScriptLibrary.loaded(library));
        }
    }

    private static void check(Keyspace keyspace, String what, Optional<String> found, int known) {
        long version = BoundedReads.understood(keyspace.meta(), () -> Optional.of(Long.parseLong(found.orElse("0"))))
                .orElseThrow();
        if (version > known) {
            throw refused("keyspace " + keyspace.prefix() + " has version " + version + " of its " + what
                    + ", written by a newer operator; this client knows " + known + ": update it");
        }
    }

    private static StoreRefusedException refused(String message) {
        return new StoreRefusedException(StoreRefusedException.Kind.OTHER, message, null);
    }
}
