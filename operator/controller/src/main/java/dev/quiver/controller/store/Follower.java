package dev.quiver.controller.store;

import java.util.Collection;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** Asks Redis about what it follows, a keyspace at a time, when {@link StoreLoop} says so. */
public interface Follower {

    /** The keyspaces that have something to follow. */
    Collection<Keyspace> keyspaces();

    /** Asks one keyspace; one thread at a time for each. */
    void poll(Keyspace keyspace);
}
