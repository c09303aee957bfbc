/**
 * The database of the record: SQLite or PostgreSQL. Its settings, migrations, writes, sealing, retention and deletion.
 * Every write may be repeated. Knows the format of the entries and nothing of Redis.
 */
package dev.quiver.history.store;
