package dev.quiver.history.persist;

import java.util.Map;
import java.util.Optional;

/**
 * How the loop fares.
 *
 * @param database why the database takes nothing; absent while it does
 * @param keyspaces why a keyspace is not read, by its prefix; at most a hundred
 * @param entries that were persisted since the start
 * @param unread entries that went to the table of unread ones since the start
 */
public record PersisterStatus(Optional<String> database, Map<String, String> keyspaces, long entries, long unread) {

    /** Whether the database takes what comes. */
    public boolean ready() {
        return database.isEmpty();
    }
}
