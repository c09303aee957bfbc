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
 * @param notRecorded trials that have no record, of runs whose end was persisted since the start
 * @param rows that were written since the start
 * @param behind keyspaces whose streams had more than was read in the last round
 * @param committedAt when entries were last committed, milliseconds since 1970; 0 before the first
 */
public record PersisterStatus(
        Optional<String> database,
        Map<String, String> keyspaces,
        long entries,
        long unread,
        long notRecorded,
        long rows,
        int behind,
        long committedAt) {

    /** Before the first round. */
    static PersisterStatus none() {
        return new PersisterStatus(Optional.empty(), Map.of(), 0, 0, 0, 0, 0, 0);
    }

    /** Whether the database takes what comes. */
    public boolean ready() {
        return database.isEmpty();
    }
}
