package dev.quiver.lifecycle.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A TCP proxy in front of Redis that loses what it is told to. That is the next reply (the call was executed), or the
 * next request (it was not). A request may also be kept and delivered later. The connection ends with each loss, as it
 * would when a network device gives up.
 */
public final class LossyProxy implements AutoCloseable {

    private enum Loss {
        NONE,
        REPLY,
        REQUEST,
        HOLD
    }

    private record Held(Socket server, byte[] request, CompletableFuture<Void> answered) {}

    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Loss> next = new AtomicReference<>(Loss.NONE);
    private final AtomicInteger before = new AtomicInteger();
    private final AtomicReference<Optional<Held>> held = new AtomicReference<>(Optional.empty());
    private volatile Held delivered;
    private volatile boolean isLasting;

    /** In front of a port of loopback. */
    public LossyProxy(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().name("proxy").start(this::accept);
    }

    /** How to reach Redis through it. */
    public RedisEndpoint endpoint() {
        return RedisEndpoint.standalone("redis://127.0.0.1:" + listener.getLocalPort());
    }

    /** Redis does the next call, its reply is lost. */
    public void loseNextReply() {
        loseAfter(0, true);
    }

    /** The next call is lost before Redis sees it. */
    public void loseNextRequest() {
        loseAfter(0, false);
    }

    /**
     * Loses one call after others have passed.
     *
     * @param calls that pass
     * @param reply whether Redis does the call, and its reply is lost
     */
    public void loseAfter(int calls, boolean reply) {
        before.set(calls);
        isLasting = false;
        next.set(reply ? Loss.REPLY : Loss.REQUEST);
    }

    /** The same for every call after those that pass, until {@link #disarm}. */
    public void loseAllAfter(int calls, boolean reply) {
        loseAfter(calls, reply);
        isLasting = true;
    }

    private boolean loses(Loss loss) {
        return next.get() == loss
                && before.getAndDecrement() <= 0
                && (isLasting || next.compareAndSet(loss, Loss.NONE));
    }

    /** The next call is kept back; {@link #deliverHeld} sends it. */
    public void holdNextRequest() {
        next.set(Loss.HOLD);
    }

    /** Whether a loss that was asked for has not happened yet. */
    public boolean armed() {
        return next.get() != Loss.NONE;
    }

    /** Takes back a loss that was asked for. */
    public void disarm() {
        next.set(Loss.NONE);
    }

    /** Sends what was kept back and waits for its reply, which nobody gets. */
    public void deliverHeld() throws IOException {
        Held late = held.getAndSet(Optional.empty()).orElseThrow();
        delivered = late;
        late.server().getOutputStream().write(late.request());
        late.answered().orTimeout(1, TimeUnit.MINUTES).join();
        late.server().close();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(server);
                Thread.ofVirtual().start(() -> requests(client, server));
                Thread.ofVirtual().start(() -> replies(client, server));
            } catch (IOException e) {
                // Closed, or Redis is away: the client sees a refused or broken connection.
            }
        }
    }

    private void requests(Socket client, Socket server) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = client.getInputStream();
            OutputStream out = server.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (loses(Loss.REQUEST)) {
                    break;
                }
                if (next.compareAndSet(Loss.HOLD, Loss.NONE)) {
                    held.set(Optional.of(new Held(server, Arrays.copyOf(buffer, read), new CompletableFuture<>())));
                    client.close();
                    return;
                }
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // Either side ended.
        }
        end(client, server);
    }

    private void replies(Socket client, Socket server) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (loses(Loss.REPLY)) {
                    break;
                }
                Held late = delivered;
                if (late != null && late.server() == server) {
                    late.answered().complete(null);
                    return;
                }
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // Either side ended.
        }
        if (held.get().filter(late -> late.server() == server).isEmpty()) {
            end(client, server);
        }
    }

    private void end(Socket client, Socket server) {
        for (Socket socket : new Socket[] {client, server}) {
            sockets.remove(socket);
            try {
                socket.close();
            } catch (IOException e) {
                // Gone already.
            }
        }
    }

    /** Ends every connection. */
    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
