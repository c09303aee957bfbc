package dev.quiver.slots.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * A file descriptor, closed at most once. Its mappings live on without it. Not thread-safe, except that
 * {@link #close} may come from another thread when nobody uses it.
 */
public final class Descriptor implements AutoCloseable {
    /** Flags of open(2) that are the same on every machine. */
    public static final int READ_ONLY = 0, READ_WRITE = 2, CREATE = 0100, NONBLOCK = 04000, CLOEXEC = 02000000;

    /** Flags of open(2) that are not. */
    public static final int NOFOLLOW = Libc.ARM ? 0100000 : 0400000, DIRECTORY = Libc.ARM ? 040000 : 0200000;

    /** Seals of fcntl(2). */
    public static final int SEAL_SEAL = 1, SEAL_SHRINK = 2, SEAL_GROW = 4;

    private static final int GET_SEALS = 1034;
    private static final int EMPTY_PATH = 0x1000;
    private static final int BASIC_STATS = 0x7FF;
    private static final int PROT_READ = 1;
    private static final int MAP_SHARED = 1;
    private static final long TMPFS = 0x01021994L;
    private static final int TYPE_MASK = 0170000;
    private static final int REGULAR = 0100000;

    private static final MemorySegment OPEN = Libc.function("open");
    private static final MemorySegment CLOSE = Libc.function("close");
    private static final MemorySegment FALLOCATE = Libc.function("fallocate");
    private static final MemorySegment FTRUNCATE = Libc.function("ftruncate");
    private static final MemorySegment PREAD = Libc.function("pread");
    private static final MemorySegment FCNTL = Libc.function("fcntl");
    private static final MemorySegment STATX = Libc.function("statx");
    private static final MemorySegment FSTATFS = Libc.function("fstatfs");
    private static final MemorySegment MMAP = Libc.function("mmap");
    private static final MemorySegment MUNMAP = Libc.function("munmap");

    private int fd;

    Descriptor(int fd) {
        this.fd = fd;
    }

    /**
     * The answer of fstat.
     *
     * @param regular whether it is a plain file
     * @param links how many names it has
     * @param size in bytes
     * @param inode its number in the file system
     */
    public record Status(boolean regular, int links, long size, long inode) {}

    /** Opens the path, always CLOEXEC; {@code mode} is for CREATE. */
    public static Descriptor open(Path path, int flags, int mode) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            MemorySegment name = arena.allocateFrom(path.toString());
            int fd = (int) Libc.call(OPEN, state, name.address(), flags | CLOEXEC, mode);
            if (fd < 0) {
                throw Libc.failure(path.toString(), state);
            }
            return new Descriptor(fd);
        }
    }

    /** The number, for other calls. */
    int number() {
        return fd;
    }

    /** A path by which this process reaches the descriptor, however long its own path is. */
    public Path path() {
        return Path.of("/proc/self/fd/" + fd);
    }

    /** Sets the size and takes the memory or disk for it at once; fails with {@link LinuxException#ENOSPC}. */
    public void allocate(long bytes) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            if ((int) Libc.call(FTRUNCATE, state, fd, bytes) < 0
                    || (int) Libc.call(FALLOCATE, state, fd, 0, 0, bytes) < 0) {
                throw Libc.failure("allocation of " + bytes + " bytes", state);
            }
        }
    }

    /** The file's type, size and names. */
    public Status status() throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            MemorySegment empty = arena.allocateFrom("");
            MemorySegment stat = arena.allocate(256, 8);
            long failed = Libc.call(STATX, state, fd, empty.address(), EMPTY_PATH, BASIC_STATS, stat.address(), 0);
            if ((int) failed < 0) {
                throw Libc.failure("statx", state);
            }
            int mode = Short.toUnsignedInt(stat.get(JAVA_SHORT, 28));
            return new Status(
                    (mode & TYPE_MASK) == REGULAR,
                    stat.get(JAVA_INT, 16),
                    stat.get(JAVA_LONG, 40),
                    stat.get(JAVA_LONG, 32));
        }
    }

    /** The seals, empty for a file that can have none. */
    public OptionalInt seals() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            int seals = (int) Libc.call(FCNTL, state, fd, GET_SEALS);
            return seals < 0 ? OptionalInt.empty() : OptionalInt.of(seals);
        }
    }

    /** Whether it lies in ordinary shared memory (and not in huge pages or on a disk). */
    public boolean isSharedMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            MemorySegment statfs = arena.allocate(256, 8);
            return (int) Libc.call(FSTATFS, state, fd, statfs.address()) == 0 && statfs.get(JAVA_LONG, 0) == TMPFS;
        }
    }

    /**
     * Maps the first bytes read-only and shared. Only for files that nobody can shrink: an access beyond the end would
     * end the process. Unmapped when the segment is not reachable any more.
     */
    @SuppressWarnings("restricted")
    public MemorySegment mapReadOnly(long bytes) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            long address = Libc.call(MMAP, state, 0, bytes, PROT_READ, MAP_SHARED, fd, 0);
            if (address == -1) {
                throw Libc.failure("mmap of " + bytes + " bytes", state);
            }
            return MemorySegment.ofAddress(address)
                    .reinterpret(bytes, Arena.ofAuto(), mapped -> unmap(mapped, bytes))
                    .asReadOnly();
        }
    }

    /** Reads up to this many bytes from the offset; fewer only at the end of the file. */
    public byte[] read(long offset, int bytes) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            MemorySegment buffer = arena.allocate(Math.max(bytes, 1));
            int done = 0;
            while (done < bytes) {
                MemorySegment rest = buffer.asSlice(done);
                long at = offset + done;
                long wanted = (long) bytes - done;
                long n = Libc.call(PREAD, state, fd, rest.address(), wanted, at);
                if (n < 0 && Libc.errno(state) == LinuxException.EINTR) {
                    continue;
                }
                if (n < 0) {
                    throw Libc.failure("read", state);
                }
                if (n == 0) {
                    break;
                }
                done += (int) n;
            }
            return buffer.asSlice(0, done).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Override
    public void close() {
        int number = fd;
        if (number >= 0) {
            fd = -1;
            Libc.plain(CLOSE, number, 0, 0);
        }
    }

    private static void unmap(MemorySegment mapped, long bytes) {
        Libc.plain(MUNMAP, mapped.address(), bytes, 0);
    }
}
