/** Reads and trims the history stream of a keyspace. Writers append in their own scripts, see {@code history/append}. */
package dev.quiver.lifecycle.history.stream;
