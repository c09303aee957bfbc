package dev.quiver.lifecycle.keyspace;

import java.time.Duration;

/**
 * The times around leases, the same for all processes of a keyspace.
 *
 * @param lease how long a session lives without a heartbeat; supervisors heartbeat about every three seconds
 * @param silence time without any watcher after which no session is fenced for a full lease: Redis or all watchers
 *     were away
 * @param pause between two rounds of watching in a keyspace, by all its watchers together
 */
public record LeaseTimes(Duration lease, Duration silence, Duration pause) {

    /** 10 s, 3 s, and 0.9 s between rounds, so that a watcher that ticks each second always finds its turn. */
    public static final LeaseTimes DEFAULT =
            new LeaseTimes(Duration.ofSeconds(10), Duration.ofSeconds(3), Duration.ofMillis(900));
}
