package dev.quiver.bench.handover;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Map;

import dev.quiver.sdk.Handler;
import dev.quiver.sdk.Handlers;
import dev.quiver.sdk.arrow.ArrowInput;

/** The other side in Java, with the modes of {@code e2e/bench/handlers/touch.c}; {@code rows} reads a table. */
public final class JavaSide {

    private JavaSide() {}

    public static void main(String[] words) throws IOException {
        switch (words[0]) {
            case "handler" ->
                Handlers.serve(Map.<String, Handler>of("noop", (input, task) -> null, "rows", (input, task) -> {
                    ArrowInput.read(input).loadNextBatch();
                    return null;
                }));
            case "socket" -> {
                try (SocketChannel peer = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                    peer.connect(UnixDomainSocketAddress.of(words[1]));
                    answer(peer, peer);
                }
            }
            default -> {
                try (FileInputStream in = new FileInputStream(FileDescriptor.in);
                        FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
                    answer(in.getChannel(), out.getChannel());
                }
            }
        }
    }

    private static void answer(ReadableByteChannel from, WritableByteChannel to) throws IOException {
        ByteBuffer head = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer payload = ByteBuffer.allocateDirect(0);
        while (take(from, head.clear())) {
            int length = (int) head.getLong(0);
            if (payload.capacity() < length) {
                payload = ByteBuffer.allocateDirect(length);
            }
            if (!take(from, payload.clear().limit(length))) {
                return;
            }
            to.write(ByteBuffer.wrap(new byte[1]));
        }
    }

    private static boolean take(ReadableByteChannel from, ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            if (from.read(to) < 0) {
                return false;
            }
        }
        return true;
    }
}
