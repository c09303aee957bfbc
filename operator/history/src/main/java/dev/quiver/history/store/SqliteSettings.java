package dev.quiver.history.store;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How the SQLite file is opened.
 *
 * @param file the database; its folder has to be there
 * @param maxBytes size of the file at most, however much room there is
 * @param readers connections that read at a time
 * @param busyMillis how long a write waits for a lock of another process
 */
public record SqliteSettings(Path file, long maxBytes, int readers, int busyMillis) {

    /**
     * The bytes that stay free on the volume: on a full disk neither DELETE nor a checkpoint works, and kubelet evicts
     * pods. Bytes, and no part of the volume, which may be a large disk that others have filled.
     */
    static final long MARGIN_BYTES = 256L << 20;

    private static final int READERS = 6;
    private static final int BUSY_MILLIS = 5_000;

    /** Without a bound beside that of the volume. */
    public static SqliteSettings of(Path file) {
        return new SqliteSettings(file, Long.MAX_VALUE, READERS, BUSY_MILLIS);
    }

    /** The same with another size at most. */
    public SqliteSettings atMost(long bytes) {
        return new SqliteSettings(file, Math.min(bytes, maxBytes), readers, busyMillis);
    }

    /** The same with another patience for locks. */
    public SqliteSettings waiting(int millis) {
        return new SqliteSettings(file, maxBytes, readers, millis);
    }

    /** The largest file that the volume has room for now, beside the margin; at least 64 pages. */
    long room() throws IOException {
        FileStore volume = Files.getFileStore(file.toAbsolutePath().getParent());
        return room(Files.exists(file) ? Files.size(file) : 0, volume.getUsableSpace());
    }

    /**
     * The same by figures.
     *
     * @param present bytes of the file
     * @param free bytes that this process may still write on the volume
     */
    static long room(long present, long free) {
        return Math.max(present + free - MARGIN_BYTES, SqliteDatabase.PAGE_BYTES * 64L);
    }

    /** The size of the file at most, as things are now. */
    long bound() throws IOException {
        return Math.min(maxBytes, room());
    }
}
