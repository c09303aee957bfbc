package dev.quiver.history.web;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Cuts callers off who take their answers too slowly: each keeps memory, and an export a connection of the database.
 * One write to a caller may wait as long as the patience. All writes together may wait a second more for each 16 KiB
 * that the caller takes. Writes are cut into 16 KiB, so that one of them is no more than a second's worth. Bytes in the
 * sockets' buffers count as taken. Thread-safe.
 */
final class SlowCallers implements AutoCloseable {

    /** Also the buffer outside of the heap that a thread keeps while it writes. */
    private static final int PIECE_BYTES = 16 << 10;

    private final long grace;
    private final Set<Watched> all = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService looks;

    /** With that patience, beside the time that is earned. */
    SlowCallers(Duration patience) {
        grace = patience.toNanos();
        long pause = Math.max(1, patience.toMillis() / 10);
        looks = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("slow-callers").factory());
        looks.scheduleWithFixedDelay(() -> all.forEach(Watched::look), pause, pause, TimeUnit.MILLISECONDS);
    }

    /** The same stream, which fails in the present thread once its reader is too slow. Close it; that closes nothing else. */
    Watched watch(OutputStream out) {
        Watched watched = new Watched(out);
        all.add(watched);
        return watched;
    }

    /** A stream to a caller. */
    final class Watched extends FilterOutputStream {

        private final Thread writer = Thread.currentThread();
        private boolean writing;
        private boolean cut;
        private long since;
        private long waited;
        private long bytes;

        private Watched(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] from, int at, int length) throws IOException {
            for (int done = 0; done < length; done += PIECE_BYTES) {
                int some = Math.min(PIECE_BYTES, length - done);
                begin();
                try {
                    out.write(from, at + done, some);
                } finally {
                    end(some);
                }
            }
        }

        @Override
        public void flush() throws IOException {
            begin();
            try {
                out.flush();
            } finally {
                end(0);
            }
        }

        private synchronized void begin() {
            writing = true;
            since = System.nanoTime();
        }

        private synchronized void end(int length) throws IOException {
            writing = false;
            waited += System.nanoTime() - since;
            bytes += length;
            if (cut) {
                // The mark is for the write alone: the connection of the database is still to be given back.
                Thread.interrupted();
                throw new IOException("the caller takes its answer too slowly");
            }
        }

        /** An interrupted write closes its channel and fails. */
        private synchronized void look() {
            long allowed = grace + TimeUnit.SECONDS.toNanos(bytes / PIECE_BYTES);
            long now = System.nanoTime() - since;
            if (writing && !cut && (now > grace || waited + now > allowed)) {
                cut = true;
                writer.interrupt();
            }
        }

        @Override
        public void close() {
            all.remove(this);
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
