package dev.quiver.slots.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;

/** A Unix stream socket whose peers may pass one descriptor along with their bytes. */
public final class FrameSocket implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int STREAM = 1;
    private static final int SOCK_CLOEXEC = 02000000;
    private static final int SOCK_NONBLOCK = 04000;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int DONTWAIT = 0x40;
    private static final int NOSIGNAL = 0x4000;
    private static final int CMSG_CLOEXEC = 0x40000000;
    private static final int CTRUNC = 8;
    private static final int SHUT_RDWR = 2;
    private static final short POLLIN = 1;
    private static final int MSGHDR_BYTES = 56;
    private static final int RIGHTS_BYTES = 20; // CMSG_LEN of one descriptor; its CMSG_SPACE would let a second one in

    private static final MemorySegment SOCKET = Libc.function("socket");
    private static final MemorySegment BIND = Libc.function("bind");
    private static final MemorySegment LISTEN = Libc.function("listen");
    private static final MemorySegment ACCEPT = Libc.function("accept4");
    private static final MemorySegment RECVMSG = Libc.function("recvmsg");
    private static final MemorySegment SEND = Libc.function("send");
    private static final MemorySegment SHUTDOWN = Libc.function("shutdown");
    private static final MemorySegment POLL = Libc.function("poll");

    private final Descriptor descriptor;

    private FrameSocket(Descriptor descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * The result of one read.
     *
     * @param bytes the bytes, none at the end of the connection
     * @param passed a descriptor that came with them, to be closed by the receiver
     * @param excess whether more descriptors were sent than can be taken; the kernel has closed them
     */
    public record Received(byte[] bytes, Optional<Descriptor> passed, boolean excess) {}

    /** A listening socket at this path, mode 0660, in place of whatever had the name. */
    public static FrameSocket listen(Path path) throws java.io.IOException {
        Files.deleteIfExists(path);
        try (Arena arena = Arena.ofConfined();
                Descriptor folder = Descriptor.open(path.getParent(), Descriptor.READ_ONLY | Descriptor.DIRECTORY, 0)) {
            MemorySegment state = Libc.state(arena);
            int number = (int) Libc.call(SOCKET, state, AF_UNIX, STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            if (number < 0) {
                throw Libc.failure("socket", state);
            }
            FrameSocket socket = new FrameSocket(new Descriptor(number));
            // By way of the folder's descriptor: an address holds 107 bytes, a folder's path may be longer.
            MemorySegment address = address(arena, folder.path().resolve(path.getFileName()));
            if ((int) Libc.call(BIND, state, number, address.address(), address.byteSize()) < 0
                    || (int) Libc.call(LISTEN, state, number, 4) < 0) {
                LinuxException failure = Libc.failure(path.toString(), state);
                socket.close();
                throw failure;
            }
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw----"));
            return socket;
        }
    }

    /** Waits until one of the sockets has something to read, at most the time. */
    public static void awaitReadable(Duration time, FrameSocket... sockets) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polled = arena.allocate(8L * sockets.length, 4);
            for (int i = 0; i < sockets.length; i++) {
                polled.set(JAVA_INT, i * 8L, sockets[i].descriptor.number());
                polled.set(JAVA_SHORT, i * 8L + 4, POLLIN);
            }
            Libc.plain(POLL, polled.address(), sockets.length, (int) time.toMillis());
        }
    }

    /** The next peer, if one is waiting. */
    public Optional<FrameSocket> accept() throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            int peer = (int) Libc.call(ACCEPT, state, descriptor.number(), 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (peer >= 0) {
                return Optional.of(new FrameSocket(new Descriptor(peer)));
            }
            int errno = Libc.errno(state);
            if (errno == LinuxException.EAGAIN || errno == LinuxException.EINTR) {
                return Optional.empty();
            }
            throw Libc.failure("accept", state);
        }
    }

    /** Takes what has come, at most this many bytes; empty if nothing has. */
    public Optional<Received> receive(int most) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            MemorySegment bytes = arena.allocate(most);
            MemorySegment rights = arena.allocate(RIGHTS_BYTES, 8);
            MemorySegment part = arena.allocate(16, 8);
            part.set(ADDRESS, 0, bytes);
            part.set(JAVA_LONG, 8, most);
            MemorySegment message = arena.allocate(MSGHDR_BYTES, 8);
            message.set(ADDRESS, 16, part);
            message.set(JAVA_LONG, 24, 1);
            message.set(ADDRESS, 32, rights);
            message.set(JAVA_LONG, 40, RIGHTS_BYTES);
            long n = Libc.call(RECVMSG, state, descriptor.number(), message.address(), DONTWAIT | CMSG_CLOEXEC);
            int errno = Libc.errno(state);
            if (n < 0 && (errno == LinuxException.EAGAIN || errno == LinuxException.EINTR)) {
                return Optional.empty();
            }
            if (n < 0) {
                throw Libc.failure("recvmsg", state);
            }
            boolean passed = message.get(JAVA_LONG, 40) >= RIGHTS_BYTES
                    && rights.get(JAVA_INT, 8) == SOL_SOCKET
                    && rights.get(JAVA_INT, 12) == SCM_RIGHTS;
            return Optional.of(new Received(
                    bytes.asSlice(0, n).toArray(JAVA_BYTE),
                    passed ? Optional.of(new Descriptor(rights.get(JAVA_INT, 16))) : Optional.empty(),
                    (message.get(JAVA_INT, 48) & CTRUNC) != 0));
        }
    }

    /** Sends the bytes whole, or says that the peer does not take them now. Never waits. */
    public boolean send(byte[] frame) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Libc.state(arena);
            MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, frame);
            return Libc.call(SEND, state, descriptor.number(), bytes.address(), frame.length, DONTWAIT | NOSIGNAL)
                    == frame.length;
        }
    }

    /** Ends both directions, so that whoever waits on the socket looks up. */
    public void shutdown() {
        Libc.plain(SHUTDOWN, descriptor.number(), SHUT_RDWR, 0);
    }

    @Override
    public void close() {
        descriptor.close();
    }

    private static MemorySegment address(Arena arena, Path path) {
        byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
        MemorySegment address = arena.allocate(110, 2);
        address.set(JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(name, 0, address, JAVA_BYTE, 2, name.length);
        return address.asSlice(0, 2L + name.length + 1);
    }
}
