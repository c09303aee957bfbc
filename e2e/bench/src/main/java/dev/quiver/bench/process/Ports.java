package dev.quiver.bench.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Ports of the loopback interface. */
public final class Ports {

    // The kernel gives those from 32,768 on to connections. Tests of other modules take 5,000 to 9,899 and some from
    // 15,000 on, and own a port by listening at another address of loopback: programs that bind all addresses, as those
    // measured here do, could not take it.
    private static final int FIRST = 10_000;
    private static final int COUNT = 4_900;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

    private Ports() {}

    /** A free port, another one at each call; never one that the kernel gives to connections. */
    public static int free() {
        while (true) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // the next one
            }
        }
    }

    /** Whether a process accepts connections there. */
    public static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }
}
