/** The loop from the streams of all keyspaces to the database. An entry is trimmed after it is committed, not before. */
package dev.quiver.history.persist;
