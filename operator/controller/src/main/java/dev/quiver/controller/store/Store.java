package dev.quiver.controller.store;

import java.time.Clock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;

/**
 * The operator's Redis, as one door for each kind of caller. Only the wiring and the leader's clock have them all; every
 * other part gets the doors that it needs.
 *
 * @param admin for users, functions and the state of servers
 * @param watch for those who wait for Redis
 * @param keyspaces for those who must know of one keyspace
 * @param calls for those who read and write
 * @param controls what is read and written whatever the kind of work
 * @param rooms for records that nobody has read yet
 * @param backlogs how far history is behind
 * @param recording whose runs are recorded
 */
public record Store(
        StoreAdmin admin,
        StoreWatch watch,
        KeyspaceStates keyspaces,
        StoreCalls calls,
        KeyspaceControls controls,
        HistoryRooms rooms,
        RecordBacklogs backlogs,
        RunRecording recording) {

    /**
     * Makes the doors; nothing has been asked yet.
     *
     * @param term of the leader, read for each control
     * @param prefixes those that namespaces were granted
     * @param rooms of an installation with or without history
     * @param namespaces whose runs are recorded
     * @param stale called when Redis has seen a later leader than this one
     */
    public static Store of(
            Lifecycle lifecycle,
            StoreAdmin admin,
            LongSupplier term,
            GrantedPrefixes prefixes,
            HistoryRooms rooms,
            NamespaceUids namespaces,
            Consumer<StaleLeaderException> stale,
            Clock clock) {
        StoreWatch watch = new StoreWatch(admin, clock, rooms::memory);
        return new Store(
                admin,
                watch,
                new KeyspaceStates(watch, clock),
                new StoreCalls(watch, clock, stale),
                new KeyspaceControls(lifecycle, term, prefixes, rooms),
                rooms,
                new RecordBacklogs(rooms.recorded(), lifecycle::backlog),
                new RunRecording(
                        rooms.recorded(),
                        namespaces,
                        (keyspace, uids) ->
                                lifecycle.deletions(keyspace, term.getAsLong()).report(uids)));
    }
}
