package dev.quiver.lifecycle.worker;

import java.util.Objects;

/**
 * Which pod of which pool a session belongs to.
 *
 * @param pool name of the WorkerPool
 * @param poolUid its uid
 * @param pod name of the pod
 * @param podUid its uid
 * @param node the node it runs on
 * @param slots tasks it can run at once, 1 to 64
 */
public record WorkerIdentity(String pool, String poolUid, String pod, String podUid, String node, int slots) {

    /** All present; none may hold a control character. */
    public WorkerIdentity {
        for (String word : new String[] {pool, poolUid, pod, podUid, node}) {
            Objects.requireNonNull(word);
            if (word.chars().anyMatch(c -> c < ' ')) {
                throw new IllegalArgumentException("control character in " + word);
            }
        }
        if (slots < 1 || slots > 64) {
            throw new IllegalArgumentException("slots must be 1 to 64: " + slots);
        }
    }
}
