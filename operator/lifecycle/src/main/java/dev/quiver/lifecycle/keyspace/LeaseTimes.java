package dev.quiver.lifecycle.keyspace;

import java.time.Duration;

/**
 * The times around leases. All processes of a keyspace use the same.
 *
 * @param lease how long a session lives without a beat; supervisors beat about every three seconds
 * @param silence without any watcher after which nobody is condemned for a full lease: Redis or everybody was away
 * @param pause between two rounds of watching in a keyspace, whoever asks
 */
public record LeaseTimes(Duration lease, Duration silence, Duration pause) {

    /** 10 s, 3 s, and 0.9 s between rounds, so that one who ticks each second always finds its turn. */
    public static final LeaseTimes DEFAULT =
            new LeaseTimes(Duration.ofSeconds(10), Duration.ofSeconds(3), Duration.ofMillis(900));
}
