package dev.quiver.bench.handover;

import java.io.IOException;

/** A way to hand a payload to another process and get an acknowledgement. */
interface Way extends AutoCloseable {

    /** The name in tables. */
    String name();

    /** Hands the payload over and waits for the answer; returns the time in nanoseconds. */
    long roundTrip(byte[] payload) throws Exception;

    @Override
    void close() throws IOException;
}
