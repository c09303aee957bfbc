package dev.quiver.lifecycle.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of 127.0.0.1 for servers that a test starts as processes. Each is given once in this JVM and to no other JVM
 * while this one lives. The kernel gives none of them to connections. Safe for threads.
 */
public final class FreePort {

    // The kernel's own begin at 32,768, API servers of tests take those above 20,000. A node of a Redis Cluster listens
    // 10,000 above its port, too.
    private static final int FIRST = 5_000;
    private static final int COUNT = 4_900;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

    /** Where a JVM listens while a port is its own, though the server there may be down for a moment. */
    private static final InetAddress OWNERS = address("127.0.0.2");

    private static final Queue<ServerSocket> OWNED = new ConcurrentLinkedQueue<>();

    private FreePort() {}

    /** A port on which nobody listens. */
    public static int next() {
        while (true) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            if (own(port)) {
                return port;
            }
        }
    }

    /** Owned first: a look at the port of another JVM could be in the way of its server. */
    private static boolean own(int port) {
        try {
            ServerSocket owner = new ServerSocket(port, 1, OWNERS);
            if (free(port) && free(port + 10_000)) {
                return OWNED.add(owner);
            }
            owner.close();
            return false;
        } catch (IOException taken) {
            return false;
        }
    }

    private static boolean free(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
