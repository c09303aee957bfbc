/** A keyspace: its keys, its epoch and loss, the term of the leader, the times of leases. */
package dev.quiver.lifecycle.keyspace;
