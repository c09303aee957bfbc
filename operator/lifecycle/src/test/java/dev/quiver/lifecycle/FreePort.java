package dev.quiver.lifecycle;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of 127.0.0.1 for servers that a test starts as processes. Each is given once in this JVM, and is none of those
 * that the kernel gives to connections. Another JVM begins elsewhere in the same range. Safe for threads.
 */
public final class FreePort {

    // The kernel's own begin at 32,768, API servers of tests take those above 20,000. A node of a Redis Cluster listens
    // 10,000 above its port, too.
    private static final int FIRST = 5_000;
    private static final int COUNT = 4_900;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

    private FreePort() {}

    /** A port on which nobody listens. */
    public static int next() {
        while (true) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            if (free(port) && free(port + 10_000)) {
                return port;
            }
        }
    }

    private static boolean free(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
