package dev.quiver.bench.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * A TCP proxy on loopback that makes the other side farther away. Every byte leaves a fixed time after it came, in
 * order, in both directions. Reading goes on while earlier bytes wait, so pipelining stays possible and the delay does
 * not cap the throughput. Runs as a process of its own ({@link #main}).
 */
public final class DelayProxy implements AutoCloseable {

    private static final int CHUNK_BYTES = 64 << 10;
    /** 256 MiB in flight at most for each direction: far beyond what a few milliseconds can hold. */
    private static final int CHUNKS_IN_FLIGHT = 4096;

    private static final Chunk END = new Chunk(new byte[0], 0);

    private final ServerSocket server;
    private final int target;
    private final long delayNanos;
    private final AtomicLong firstAnswer = new AtomicLong(Long.MIN_VALUE);

    /** @param bytes empty at the end of the stream */
    private record Chunk(byte[] bytes, long dueNanos) {}

    private DelayProxy(ServerSocket server, int target, Duration oneWay) {
        this.server = server;
        this.target = target;
        this.delayNanos = oneWay.toNanos();
    }

    /**
     * Listens and serves until closed.
     *
     * @param port 0 for any free one
     * @param oneWay delay of each direction; a round trip gets twice as much
     */
    public static DelayProxy start(int port, int target, Duration oneWay) throws IOException {
        DelayProxy proxy =
                new DelayProxy(new ServerSocket(port, 128, InetAddress.getLoopbackAddress()), target, oneWay);
        Thread.ofVirtual().name("delay-accept").start(proxy::accept);
        return proxy;
    }

    /** The port of the proxy. */
    public int port() {
        return server.getLocalPort();
    }

    /** When the first bytes came back from the target, by {@link System#nanoTime()}; empty before. */
    public OptionalLong firstAnswerNanos() {
        long nanos = firstAnswer.get();
        return nanos == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(nanos);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket near = server.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                pump(near, far, any -> {});
                pump(far, near, nanos -> firstAnswer.compareAndSet(Long.MIN_VALUE, nanos));
            } catch (IOException closedOrRefused) {
                // The client sees its connection close; the next one is served.
            }
        }
    }

    private void pump(Socket from, Socket to, LongConsumer arrivals) {
        BlockingQueue<Chunk> inFlight = new ArrayBlockingQueue<>(CHUNKS_IN_FLIGHT);
        Thread.ofVirtual().name("delay-read").start(() -> read(from, inFlight, arrivals));
        Thread.ofVirtual().name("delay-write").start(() -> write(inFlight, to));
    }

    private void read(Socket from, BlockingQueue<Chunk> inFlight, LongConsumer arrivals) {
        byte[] buffer = new byte[CHUNK_BYTES];
        try (InputStream in = from.getInputStream()) {
            for (int n; (n = in.read(buffer)) > 0; ) {
                long now = System.nanoTime();
                arrivals.accept(now);
                inFlight.put(new Chunk(Arrays.copyOf(buffer, n), now + delayNanos));
            }
        } catch (IOException closed) {
            // The other side learns of it below.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            while (!inFlight.offer(END)) {
                LockSupport.parkNanos(delayNanos);
            }
        }
    }

    private void write(BlockingQueue<Chunk> inFlight, Socket to) {
        try (to;
                OutputStream out = to.getOutputStream()) {
            for (Chunk chunk; (chunk = inFlight.take()) != END; ) {
                for (long early; (early = chunk.dueNanos() - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(early);
                }
                out.write(chunk.bytes());
            }
        } catch (IOException closed) {
            while (inFlight.poll() != END) {
                LockSupport.parkNanos(delayNanos);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /** {@code DelayProxy <port> <target port> <one-way delay in microseconds>}: serves until the process ends. */
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        int target = Integer.parseInt(args[1]);
        start(port, target, Duration.ofNanos(Long.parseLong(args[2]) * 1000));
        Thread.currentThread().join();
    }
}
