package dev.quiver.bench.handover;

import java.io.IOException;

/** A way to hand a payload to another process and hear that it was taken. */
interface Way extends AutoCloseable {

    /** How it is called in tables. */
    String name();

    /** Hands it over and waits for the answer; how long that took, in nanoseconds. */
    long roundTrip(byte[] payload) throws Exception;

    @Override
    void close() throws IOException;
}
