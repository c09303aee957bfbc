package dev.quiver.lifecycle.worker;

import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.lifecycle.redis.SentCall;

/**
 * Takes back what dead sessions held, and lets tasks run again whose retry time has come. Call {@link #tick} about once
 * a second from anywhere. Redis lets one caller through each second; any number of callers may run at once or die in
 * the middle.
 */
public interface Reaper {

    /**
     * Queues delayed tasks that are due; fences expired sessions and takes back their tasks, at most 64 in one
     * script. Idempotent.
     */
    Reaped tick();

    /**
     * Sends the first call of a tick without a thread that waits for its answer; absent where only {@link #tick} will do.
     * In a healthy keyspace that call is all of the tick, and every supervisor makes it once a second.
     */
    default Optional<SentCall<Begun>> send() {
        return Optional.empty();
    }

    /**
     * A tick whose first call was answered.
     *
     * @param rest what it has to do yet, on a thread that may wait; absent when there is nothing. Idempotent
     */
    record Begun(Optional<Supplier<Reaped>> rest) {

        /** The work is done. */
        public static final Begun DONE = new Begun(Optional.empty());
    }

    /**
     * The result of a tick.
     *
     * @param sessions fenced by it
     * @param requeued tasks that are queued again
     * @param failed tasks that lost their worker too often
     */
    record Reaped(int sessions, int requeued, int failed) {

        /** A tick that did not do any work. */
        public static final Reaped NONE = new Reaped(0, 0, 0);

        /** Both. */
        public Reaped plus(Reaped other) {
            return new Reaped(sessions + other.sessions, requeued + other.requeued, failed + other.failed);
        }
    }
}
