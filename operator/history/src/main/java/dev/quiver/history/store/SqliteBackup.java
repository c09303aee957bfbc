package dev.quiver.history.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A copy of a record's file, of one moment, while the program may write it. It is written as {@code FILE.part}, and has
 * its name when it is whole and on the disk. A part that a killed backup left is removed by the next one to that file.
 */
public final class SqliteBackup {

    private static final long MIB = 1 << 20;
    /** Pages that are written while the copy begins. */
    private static final long HEADROOM = MIB;
    /** The database leaves a fifth free for its log; a copy on the same volume takes at most half of that. */
    private static final int RESERVE = 10;

    private final Path database;
    private final OptionalLong limit;

    /**
     * Creates the backup of that file.
     *
     * @param limit bytes that its folder may take. If an emptyDir exceeds them, its pod is evicted and the folder is
     *     lost. Absent with a volume
     */
    public SqliteBackup(Path database, OptionalLong limit) {
        this.database = database.toAbsolutePath();
        this.limit = limit;
    }

    /**
     * Writes the copy.
     *
     * @param file of a folder that is there; no file has its name yet
     * @return bytes of the copy
     * @throws RefusedException when the file is there, its volume has no room, or another backup writes it
     */
    public long to(Path file) throws RefusedException, IOException, SQLException {
        Path target = file.toAbsolutePath();
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new RefusedException(file + " is there already");
        }
        if (!Files.isDirectory(target.getParent())) {
            throw new RefusedException(target.getParent() + " is no folder");
        }
        if (limit.isPresent() && !Files.isSameFile(target.getParent(), database.getParent())) {
            // Another emptyDir of the pod has a limit as well, and nobody knows it here.
            throw new RefusedException(file + " is not in the folder of the database, " + database.getParent()
                    + ": beyond the limit of an emptyDir the pod is evicted with its record");
        }
        Path part = target.resolveSibling(target.getFileName() + ".part");
        return whole(part, () -> {
            try {
                Files.move(part, target);
            } catch (FileAlreadyExistsException e) {
                throw new RefusedException(file + " was made meanwhile");
            }
            sync(target.getParent(), StandardOpenOption.READ);
            return Files.size(target);
        });
    }

    /**
     * Writes the copy to a stream. It lies beside the database until it is whole, and has no name while it is sent.
     *
     * @return bytes of the copy
     * @throws RefusedException when the database's volume has no room, or another backup is made
     */
    public long to(OutputStream out) throws RefusedException, IOException, SQLException {
        Path part = database.resolveSibling(database.getFileName() + ".backup.part");
        try (InputStream copy = whole(part, () -> {
            InputStream opened = Files.newInputStream(part);
            Files.delete(part);
            return opened;
        })) {
            long bytes = copy.transferTo(out);
            out.flush();
            return bytes;
        }
    }

    /** The use of the copy once it is whole. */
    @FunctionalInterface
    private interface Use<T> {

        T of() throws RefusedException, IOException;
    }

    private <T> T whole(Path part, Use<T> use) throws RefusedException, IOException, SQLException {
        try (Connection connection = SqliteFile.open(database)) {
            clear(part);
            Optional<String> lack = lack(connection, part.getParent());
            if (lack.isPresent()) {
                throw new RefusedException(lack.get());
            }
            Thread ended = new Thread(() -> delete(part), "backup-end");
            Runtime.getRuntime().addShutdownHook(ended);
            try {
                try (PreparedStatement vacuum = connection.prepareStatement("VACUUM INTO ?")) {
                    vacuum.setString(1, part.toString());
                    vacuum.execute();
                }
                sync(part, StandardOpenOption.WRITE);
                return use.of();
            } finally {
                delete(part);
                forget(ended);
            }
        }
    }

    /** SQLite has a lock on the file while it writes it: one without was left by a program that was killed. */
    private static void clear(Path part) throws RefusedException, IOException {
        if (!Files.exists(part, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock == null) {
                throw new RefusedException(part + " is being written by another backup");
            }
            Files.delete(part);
        } catch (OverlappingFileLockException e) {
            throw new RefusedException(part + " is being written by another backup");
        }
    }

    private Optional<String> lack(Connection connection, Path folder) throws SQLException, IOException {
        long pages = pragma(connection, "page_count") - pragma(connection, "freelist_count");
        FileStore volume = Files.getFileStore(folder);
        boolean shared = volume.equals(Files.getFileStore(database));
        long usable = volume.getUsableSpace();
        long total = volume.getTotalSpace();
        if (limit.isPresent()) {
            usable = Math.min(usable, Math.max(0, limit.getAsLong() - taken(folder)));
            total = Math.min(total, limit.getAsLong());
        }
        return lack(folder, pages * pragma(connection, "page_size") + HEADROOM, usable, shared ? total / RESERVE : 0);
    }

    private static long taken(Path folder) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                bytes += Files.size(file);
            }
        } catch (NoSuchFileException e) {
            // SQLite removes its log when the last connection goes.
            return taken(folder);
        }
        return bytes;
    }

    private static long pragma(Connection connection, String name) throws SQLException {
        return Rows.first(connection, "PRAGMA " + name, row -> row.getLong(1)).orElseThrow();
    }

    /**
     * Why a copy has no room, if it has none.
     *
     * @param needed bytes of the copy
     * @param usable bytes that are free
     * @param reserve bytes of these that belong to the database
     */
    static Optional<String> lack(Path folder, long needed, long usable, long reserve) {
        if (needed <= usable - reserve) {
            return Optional.empty();
        }
        String kept = reserve == 0 ? "" : ", of which " + mebibytes(reserve) + " are kept for the database";
        return Optional.of("the volume of " + folder + " has no room: the copy takes " + mebibytes(needed) + ", and "
                + mebibytes(usable) + " are free" + kept);
    }

    private static String mebibytes(long bytes) {
        return (bytes + MIB - 1) / MIB + " MiB";
    }

    private static void sync(Path path, StandardOpenOption how) throws IOException {
        try (FileChannel channel = FileChannel.open(path, how)) {
            channel.force(true);
        }
    }

    private static void delete(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            // The next backup to this file removes it.
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is ending, and the hook has run or will.
        }
    }
}
