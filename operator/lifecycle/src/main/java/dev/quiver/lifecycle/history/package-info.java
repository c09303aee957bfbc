/**
 * The format of the entries in a keyspace's history stream, written by workers, operator and scripts, read by history.
 * A tenant can write to its own stream. So a reader checks every length and count before it allocates, and throws
 * nothing but {@link dev.quiver.lifecycle.history.MalformedEntryException}. The package knows bytes and nothing else.
 */
package dev.quiver.lifecycle.history;
