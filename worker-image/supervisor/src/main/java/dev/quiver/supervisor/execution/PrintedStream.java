package dev.quiver.supervisor.execution;

import java.util.Optional;

/**
 * All that a trial printed to one stream, within its bound. It can be read after the slot has its next task, until it is
 * closed. For one thread at a time.
 */
public interface PrintedStream extends AutoCloseable {

    /** One of which not a byte is there, as on a disk that was full. */
    static PrintedStream lost(long bytes) {
        return new PrintedStream() {
            @Override
            public long bytes() {
                return bytes;
            }

            @Override
            public Optional<byte[]> read(long from, int length) {
                return Optional.empty();
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
    }

    /** Bytes of all of it, at least 1. */
    long bytes();

    /** A part of it; absent where it cannot be read. */
    Optional<byte[]> read(long from, int length);

    @Override
    void close();
}
