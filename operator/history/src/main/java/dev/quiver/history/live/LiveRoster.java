package dev.quiver.history.live;

import java.util.List;
import java.util.Optional;

/**
 * Some of the workers that have tasks of a run, each with its tasks.
 *
 * @param workers in the order of their sources, and there of joining
 * @param next where the next page begins; absent behind the last
 * @param at time of Redis, milliseconds since 1970; absent where nobody was asked
 */
public record LiveRoster(List<Worker> workers, Optional<Place> next, Optional<Long> at) {

    /** Workers of a page at most. */
    public static final int MOST = 100;

    /** Copies the list. */
    public LiveRoster {
        workers = List.copyOf(workers);
    }

    /**
     * A place among all workers of a run.
     *
     * @param source number of the source
     * @param after number of the last session there, 0 at first
     */
    public record Place(int source, long after) {

        /** Before all workers. */
        public static final Place FIRST = new Place(0, 0);
    }

    /**
     * A worker.
     *
     * @param identity as the pool's registry has it; absent for one that has left it
     */
    public record Worker(String session, String pool, Optional<Identity> identity, List<Held> held) {

        /** Copies the list. */
        public Worker {
            held = List.copyOf(held);
        }
    }

    /**
     * The content of a worker's last heartbeat.
     *
     * @param lastHeartbeat milliseconds since 1970
     */
    public record Identity(String pod, String node, int slots, int busySlots, boolean draining, long lastHeartbeat) {}

    /**
     * A task that a worker has.
     *
     * @param task its number in the run
     * @param slot absent while it waits for one
     */
    public record Held(long task, Optional<Integer> slot) {}
}
