package dev.quiver.supervisor.engine.store;

import java.time.Duration;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.redis.StoreException;

/**
 * Whether Redis does what is asked of it, said once when it stops and once when it begins again. Thread-safe.
 */
public final class StoreTrouble {

    private static final Logger LOG = LoggerFactory.getLogger(StoreTrouble.class);

    private volatile Optional<String> message = Optional.empty();
    private long since;

    /** Why Redis does not do what is asked; absent while it does. */
    public Optional<String> message() {
        return message;
    }

    /** A call got no answer, or a refusal. */
    public synchronized void failed(StoreException problem) {
        String now = problem.getMessage();
        if (message.isEmpty()) {
            since = System.nanoTime();
            LOG.warn("Redis does not answer as it should, running tasks go on: {}", now);
        }
        message = Optional.of(now);
    }

    /** A call was answered. */
    public void answered() {
        if (message.isPresent()) {
            recovered();
        }
    }

    private synchronized void recovered() {
        if (message.isPresent()) {
            message = Optional.empty();
            LOG.info(
                    "Redis answers again after {} s",
                    Duration.ofNanos(System.nanoTime() - since).toSeconds());
        }
    }
}
