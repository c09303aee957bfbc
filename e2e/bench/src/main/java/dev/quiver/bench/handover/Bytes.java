package dev.quiver.bench.handover;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A byte stream to a process of its own: a length, the payload, one byte back. */
final class Bytes implements Way {

    private final String name;
    private final Process process;
    private final WritableByteChannel to;
    private final ReadableByteChannel from;
    private final ByteBuffer head = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(1);
    private byte[] last; // the payload that is laid out in `whole`
    private ByteBuffer whole;

    private Bytes(String name, Process process, WritableByteChannel to, ReadableByteChannel from) {
        this.name = name;
        this.process = process;
        this.to = to;
        this.from = from;
    }

    static Bytes pipe(Side side) throws IOException {
        Process process = start(side, "pipe");
        return new Bytes(
                "pipe",
                process,
                Channels.newChannel(process.getOutputStream()),
                Channels.newChannel(process.getInputStream()));
    }

    static Bytes socket(Side side, Path folder) throws IOException {
        Path path = folder.resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            Process process = start(side, "socket", path.toString());
            SocketChannel peer = server.accept();
            Files.delete(path);
            return new Bytes("socket", process, peer, peer);
        }
    }

    private static Process start(Side side, String... words) throws IOException {
        List<String> command = new ArrayList<>(side.command());
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(side.environment());
        return builder.start();
    }

    @Override
    public String name() {
        return name;
    }

    /** Sends from the heap, as the slots get a payload that the supervisor has read from Redis. */
    @Override
    public long roundTrip(byte[] payload) throws IOException {
        if (payload != last) {
            last = payload;
            whole = ByteBuffer.wrap(payload);
        }
        long began = System.nanoTime();
        write(head.clear().putLong(payload.length).flip());
        write(whole.rewind());
        if (from.read(answer.clear()) != 1) {
            throw new EOFException(name + ": the other side has gone");
        }
        return System.nanoTime() - began;
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
        if (!(to instanceof SocketChannel)) {
            process.getOutputStream().flush();
        }
    }

    @Override
    public void close() throws IOException {
        to.close();
        process.onExit().join(); // it ends with its input
    }
}
