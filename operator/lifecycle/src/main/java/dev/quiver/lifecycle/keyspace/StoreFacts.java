package dev.quiver.lifecycle.keyspace;

import java.util.Optional;

/**
 * The identity of a keyspace's data at one moment. The operator keeps the last one in a Kubernetes object.
 *
 * @param epoch random name given when the keyspace was first established
 * @param beat counter that the leader advances; it never falls while the data is kept
 * @param runId the Redis process that answered, absent where the server does not report it
 */
public record StoreFacts(String epoch, long beat, Optional<String> runId) {

    /** The least facts that must be there once the leader has advanced the beat of these. */
    public StoreFacts advanced() {
        return new StoreFacts(epoch, beat + 1, runId);
    }
}
