package dev.quiver.history.store;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How the SQLite file is opened.
 *
 * @param file the database; its folder has to be there
 * @param maxBytes size of the file at most
 * @param readers connections that read at a time
 * @param busyMillis how long a write waits for a lock of another process
 */
public record SqliteSettings(Path file, long maxBytes, int readers, int busyMillis) {

    private static final int READERS = 6;
    private static final int BUSY_MILLIS = 5_000;

    /** The largest file that leaves a fifth of its volume free: on a full disk neither DELETE nor a checkpoint works. */
    public static SqliteSettings of(Path file) throws IOException {
        FileStore volume = Files.getFileStore(file.toAbsolutePath().getParent());
        long now = Files.exists(file) ? Files.size(file) : 0;
        long most = now + volume.getUsableSpace() - volume.getTotalSpace() / 5;
        return new SqliteSettings(file, Math.max(most, SqliteDatabase.PAGE_BYTES * 64L), READERS, BUSY_MILLIS);
    }

    /** The same with another size at most. */
    public SqliteSettings atMost(long bytes) {
        return new SqliteSettings(file, Math.min(bytes, maxBytes), readers, busyMillis);
    }

    /** The same with another patience for locks. */
    public SqliteSettings waiting(int millis) {
        return new SqliteSettings(file, maxBytes, readers, millis);
    }
}
