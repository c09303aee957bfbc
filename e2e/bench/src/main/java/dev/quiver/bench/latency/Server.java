package dev.quiver.bench.latency;

import java.io.Closeable;

/** Serves tasks as they arrive. Idle between its turns. */
interface Server extends Closeable {

    /** The name in the figures. */
    String name();

    /** Works for a while without being measured. */
    void warmUp(HalfLoad load) throws Exception;

    /** Serves such a load once. */
    Waits turn(HalfLoad load) throws Exception;
}
