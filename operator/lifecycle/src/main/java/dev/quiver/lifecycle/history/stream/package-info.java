/** Reads and trims the history stream of a keyspace. Writers append in their own scripts, see {@code history/record}. */
package dev.quiver.lifecycle.history.stream;
