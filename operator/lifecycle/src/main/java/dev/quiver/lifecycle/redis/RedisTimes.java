package dev.quiver.lifecycle.redis;

import java.time.Duration;

/**
 * How long a store waits for Redis before it reports it as unreachable.
 *
 * @param connect for a connection
 * @param handshake for the greeting on a new connection, authentication included
 * @param answer for the answer of a call that does not block
 */
record RedisTimes(Duration connect, Duration handshake, Duration answer) {

    /** The times of every store except those of tests, whose machine may be many times slower. */
    static final RedisTimes DEFAULT =
            new RedisTimes(Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(5));
}
