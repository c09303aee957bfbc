package dev.quiver.controller.store;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.controller.store.KeyspaceRecords.OrphanedPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StoreFacts;

/** Keys and values of a ConfigMap, as {@link KeyspaceRecords} keeps its records there. */
final class RecordText {

    private static final String LEFT = "left.";
    /** epoch, beat, and the run id of the server where it was known. */
    private static final Pattern FACTS = Pattern.compile("(\\S+) (\\d{1,18})(?: (\\S+))?");
    /** left.keyspace.pool: a keyspace's key has no dot, a pool's name may have. */
    private static final Pattern LEFT_KEY = Pattern.compile("left\\.([^.]+)\\.(.+)");

    private RecordText() {}

    /** {@code quiver:{team/nightly}:} is kept under {@code team_nightly}: a namespace has no underscore. */
    static String key(Keyspace keyspace) {
        String prefix = keyspace.prefix();
        return prefix.substring("quiver:{".length(), prefix.length() - "}:".length())
                .replace('/', '_');
    }

    static String key(OrphanedPool pool) {
        return LEFT + key(pool.keyspace()) + "." + pool.name();
    }

    /**
     * The keyspace that is kept under a key.
     *
     * @throws IllegalArgumentException for a key that names none
     */
    static Keyspace keyspace(String key) {
        return new Keyspace("quiver:{" + key.replace('_', '/') + "}:");
    }

    static String of(StoreFacts seen) {
        return seen.epoch() + " " + seen.beat()
                + seen.runId().map(id -> " " + id).orElse("");
    }

    /** The facts of a keyspace in a value; absent where it has none. */
    static Optional<StoreFacts> facts(String text) {
        Matcher seen = FACTS.matcher(text);
        return seen.matches()
                ? Optional.of(new StoreFacts(
                        seen.group(1), Long.parseLong(seen.group(2)), Optional.ofNullable(seen.group(3))))
                : Optional.empty();
    }

    /**
     * The pool that a key names, with its uid as the value; absent where the key is that of a keyspace.
     *
     * @throws IllegalArgumentException where the key names no keyspace
     */
    static Optional<OrphanedPool> orphan(String key, String text) {
        Matcher left = LEFT_KEY.matcher(key);
        return left.matches()
                ? Optional.of(new OrphanedPool(keyspace(left.group(1)), left.group(2), text))
                : Optional.empty();
    }
}
