/** The loop from the streams of all keyspaces to the database. Nothing is trimmed before it is committed. */
package dev.quiver.history.persist;
