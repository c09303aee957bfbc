package dev.quiver.lifecycle.keyspace;

import java.util.Optional;

/**
 * What identifies the data of a keyspace at one moment. The operator keeps the last one in a Kubernetes object.
 *
 * @param epoch random name given when the keyspace was first established
 * @param beat counter that the leader advances; it never falls while the data is kept
 * @param runId the Redis process that answered, absent where the server does not tell
 */
public record StoreFacts(String epoch, long beat, Optional<String> runId) {

    /** What must be there at least when the leader has advanced the beat of these facts. */
    public StoreFacts advanced() {
        return new StoreFacts(epoch, beat + 1, runId);
    }
}
