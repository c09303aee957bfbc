package dev.quiver.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.lifecycle.task.producer.EventsLostException;
import dev.quiver.lifecycle.task.producer.TaskEvents;
import dev.quiver.lifecycle.task.producer.TaskEvents.Event;

/**
 * The events of the jobs of a keyspace, in the order in which they happen. Each end of a job or of a node of one is an event,
 * and each plan that was made. A node that goes with the composite above it has no event. Redis writes events while somebody follows
 * them, and for a lease behind the last call. For one thread.
 */
public final class Events implements AutoCloseable {

    private static final int PAGE = 256;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final QuiverClient client;
    private final TaskEvents events;
    private final Duration lease;
    private final Deque<Event> ready = new ArrayDeque<>();
    private String read;
    private String given;
    private long asked = System.nanoTime();

    Events(QuiverClient client, TaskEvents events, Optional<String> after, Duration lease) {
        this.client = client;
        this.events = events;
        this.lease = lease;
        this.read = after.orElseGet(() -> client.patiently(() -> events.begin(lease)));
        this.given = read;
    }

    /** The position of the last event that was given out: {@link QuiverClient#events(String, Duration)} goes on behind it. */
    public String position() {
        return given;
    }

    /**
     * The next event; absent where none came in so long.
     *
     * @throws EventsLostException where some are gone: nobody asked for longer than the lease, or they came too fast. Calling it
     *     again goes on with what is there
     */
    public Optional<Event> next(Duration atMost) {
        long until = System.nanoTime() + atMost.toNanos();
        while (ready.isEmpty() || System.nanoTime() - asked > lease.toNanos() / 3) { // the lease must not end meanwhile
            TaskEvents.Page page = page();
            ready.addAll(page.events());
            read = page.position();
            asked = System.nanoTime();
            long left = until - System.nanoTime();
            if (ready.isEmpty() && left <= 0) {
                return Optional.empty();
            }
            if (ready.isEmpty()) {
                Duration wait = Duration.ofNanos(Math.min(left, lease.toNanos() / 3));
                patiently(() -> events.await(read, wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT));
            }
        }
        Event next = ready.poll();
        given = next.position();
        return Optional.of(next);
    }

    private TaskEvents.Page page() {
        try {
            return patiently(() -> events.after(read, PAGE, lease));
        } catch (EventsLostException lost) {
            read = lost.position();
            given = read;
            throw lost;
        }
    }

    private <T> T patiently(Supplier<T> call) {
        return client.patiently(call);
    }

    /** Ends its connection; events are written until the lease is over. */
    @Override
    public void close() {
        events.close();
    }
}
