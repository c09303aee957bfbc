package dev.quiver.lifecycle.keyspace;

/**
 * A set that changed.
 *
 * @param uid the set
 * @param change the keyspace's counter at its last change
 */
public record DirtyMark(String uid, long change) {}
