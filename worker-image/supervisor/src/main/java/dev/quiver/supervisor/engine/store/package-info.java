/** Calls to Redis, the mailbox of the engine, and the counters. */
package dev.quiver.supervisor.engine.store;
