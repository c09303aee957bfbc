package dev.quiver.controller.store;

import java.util.Collection;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** Asks Redis about resources that it follows, a keyspace at a time; {@link StoreLoop} decides when. */
public interface Follower {

    /** The keyspaces of resources that it follows. */
    Collection<Keyspace> keyspaces();

    /** Asks one keyspace; one thread at a time for each. */
    void poll(Keyspace keyspace);
}
