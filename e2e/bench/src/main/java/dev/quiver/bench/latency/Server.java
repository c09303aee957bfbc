package dev.quiver.bench.latency;

import java.io.Closeable;

/** Somebody who serves tasks as they arrive. Idle between its turns. */
interface Server extends Closeable {

    /** As the figures say it. */
    String name();

    /** Serves such a load once. */
    Waits turn(HalfLoad load) throws Exception;
}
