package dev.quiver.bench.throughput;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

import dev.quiver.bench.Pace;

/** Somebody who works through no-op tasks. Idle between its turns: it asks Redis for nothing then. */
public interface Contender extends Closeable {

    /** As the figures say it. */
    String name();

    /**
     * Takes its turn: finds Redis without anything of its own, and leaves it so.
     *
     * @param concurrency slots, or the peer's word for them
     * @return tasks a second within the window
     */
    double turn(int concurrency, Pace pace) throws Exception;

    /** What else it has to say about its turns, for people. */
    default List<String> remarks() {
        return List.of();
    }

    @Override
    void close() throws IOException;
}
