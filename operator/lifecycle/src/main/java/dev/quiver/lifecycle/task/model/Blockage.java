package dev.quiver.lifecycle.task.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The resources that tasks of a tree wait for. Immutable.
 *
 * @param waiting tasks that wait
 * @param missing what is missing, in the order of the first of these tasks; at most {@value Rank#MOST_RESOURCES}
 */
public record Blockage(int waiting, List<Missing> missing) {

    /** Nodes that are looked at. */
    public static final int MOST_NODES = 256;

    /** No task waits for a resource. */
    public static final Blockage NONE = new Blockage(0, List.of());

    /** Copies the list. */
    public Blockage {
        missing = List.copyOf(missing);
    }

    /**
     * A resource that is missing, or has no permit left.
     *
     * @param since when; absent where it never was there
     * @param waitingSince when the first task of the pool came that waits for it; absent where none does
     * @param closedBy an owner that has closed it
     * @param declared whether the pool declares it
     * @param permits where it is there, and others hold all of them
     * @param refused whether it has permits, and what waits cannot hold any: Tasks alone can
     */
    public record Missing(
            String name,
            Optional<Instant> since,
            Optional<Instant> waitingSince,
            Optional<String> closedBy,
            boolean declared,
            Optional<Permits> permits,
            boolean refused) {

        /** One that is missing, whatever permits it has. */
        public Missing(
                String name,
                Optional<Instant> since,
                Optional<Instant> waitingSince,
                Optional<String> closedBy,
                boolean declared) {
            this(name, since, waitingSince, closedBy, declared, Optional.empty(), false);
        }
    }
}
