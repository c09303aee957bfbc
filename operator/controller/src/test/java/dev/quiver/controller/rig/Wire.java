package dev.quiver.controller.rig;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port of loopback that leads to a server, until it is cut: then connections break and new ones are refused. */
public final class Wire implements AutoCloseable {

    private final String host;
    private final int target;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile ServerSocket listener;

    private Wire(String host, int target, ServerSocket listener) {
        this.host = host;
        this.target = target;
        this.listener = listener;
        this.port = listener.getLocalPort();
    }

    /** Leads there from now on. */
    public static Wire to(String host, int target) throws IOException {
        Wire wire = new Wire(host, target, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        wire.listen(wire.listener);
        return wire;
    }

    /** Where it begins. */
    public int port() {
        return port;
    }

    /** Breaks every connection and refuses new ones. */
    public void cut() throws IOException {
        listener.close();
        open.forEach(Wire::quietly);
        open.clear();
    }

    /** Leads there again. */
    public void mend() throws IOException {
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        listen(listener);
    }

    @Override
    public void close() throws IOException {
        cut();
    }

    private void listen(ServerSocket door) {
        Thread.ofVirtual().start(() -> {
            while (!door.isClosed()) {
                try {
                    join(door.accept());
                } catch (IOException e) {
                    // Cut, or the other end does not answer: the caller sees it.
                }
            }
        });
    }

    private void join(Socket here) throws IOException {
        open.add(here);
        Socket there = new Socket(host, target);
        open.add(there);
        Thread.ofVirtual().start(() -> pump(here, there));
        Thread.ofVirtual().start(() -> pump(there, here));
    }

    private static void pump(Socket from, Socket to) {
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
        } catch (IOException e) {
            // Cut.
        }
    }

    private static void quietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            // Closed is what it shall be.
        }
    }
}
