package dev.quiver.bench.throughput;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

import dev.quiver.bench.Pace;

/** Works through no-op tasks. Between its turns it is idle and sends nothing to Redis. */
public interface Contender extends Closeable {

    /** The name in the figures. */
    String name();

    /**
     * Takes its turn: finds Redis without anything of its own, and leaves it so.
     *
     * @param concurrency number of slots, or of a peer's concurrent jobs
     * @return tasks a second within the window
     */
    double turn(int concurrency, Pace pace) throws Exception;

    /** Further remarks about its turns, for people. */
    default List<String> remarks() {
        return List.of();
    }

    @Override
    void close() throws IOException;
}
