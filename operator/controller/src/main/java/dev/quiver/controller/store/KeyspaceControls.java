package dev.quiver.controller.store;

import java.util.Optional;
import java.util.function.LongSupplier;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Reaper;

/**
 * The operator's side of a keyspace, whatever the kinds of work in it. Each control carries the leader's present term.
 * Thread-safe.
 *
 * @param lifecycle makes them
 * @param term of the leader, read for each control
 * @param prefixes beside the keyspaces; a keyspace that names another one has nothing done there
 * @param rooms for records that nobody has read yet
 */
public record KeyspaceControls(Lifecycle lifecycle, LongSupplier term, GrantedPrefixes prefixes, HistoryRooms rooms) {

    /** The pools of a keyspace. */
    public PoolControl pools(Keyspace keyspace) {
        return lifecycle.pools(keyspace, term.getAsLong());
    }

    /** The identity of a keyspace. */
    public KeyspaceHealth health(Keyspace keyspace) {
        return lifecycle.health(keyspace, term.getAsLong()).recording(rooms.each());
    }

    /** Takes the tasks of dead workers back. */
    public Reaper reaper(Keyspace keyspace) {
        return lifecycle.upkeep(
                keyspace, prefix -> prefixes.of(keyspace.namespace()).equals(Optional.of(prefix)));
    }
}
