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
     * Reads the name of the functions and has the store call them. A later release is called through its entry points for
     * the version that is known here.
     *
     * @throws StoreRefusedException in words for a keyspace that nobody looks after, that a newer version wrote, or whose
     *     Redis has no functions
     */
    public static void follow(RedisStore store, Keyspace keyspace) {
        List<Optional<String>> fields =
                store.ask(redis -> redis.hmget(keyspace.meta(), "schema", "calls", "library", "oldest_calls")).stream()
                        .map(field -> Optional.ofNullable(field.getValueOrElse(null)))
                        .toList();
        if (fields.getFirst().isEmpty()) {
            throw refused("there is no keyspace " + keyspace.prefix() + ": no WorkerPool has it");
        }
        check(keyspace, "layout", version(keyspace, fields.getFirst()), KeyspaceHealth.SCHEMA);
        long calls = version(keyspace, fields.get(1));
        boolean later = calls > KeyspaceHealth.CALLS;
        if (later && version(keyspace, fields.get(3).or(() -> fields.get(1))) > KeyspaceHealth.CALLS) {
            check(keyspace, "calls", calls, KeyspaceHealth.CALLS);
        }
        String library = fields.get(2).orElse("");
        if (library.isEmpty()) {
            throw refused("the operator of keyspace " + keyspace.prefix()
                    + " names no functions: it is older than this client, or its Redis has none");
        }
        ScriptLibrary followed =
                later ? ScriptLibrary.loaded(library, KeyspaceHealth.CALLS) : ScriptLibrary.loaded(library);
        if (store.library().filter(followed::isCalledAs).isEmpty()) {
            store.follow(followed);
        }
    }

    private static long version(Keyspace keyspace, Optional<String> found) {
        return BoundedReads.understood(keyspace.meta(), () -> Long.parseLong(found.orElse("0")));
    }

    private static void check(Keyspace keyspace, String what, long version, int known) {
        if (version > known) {
            throw refused("keyspace " + keyspace.prefix() + " has version " + version + " of its " + what
                    + ", written by a newer operator; this client knows " + known + ": update it");
        }
    }

    private static StoreRefusedException refused(String message) {
        return new StoreRefusedException(StoreRefusedException.Kind.OTHER, message, null);
    }
}
