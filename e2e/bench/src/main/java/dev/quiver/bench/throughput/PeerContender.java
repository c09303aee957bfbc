package dev.quiver.bench.throughput;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.quiver.bench.Pace;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.process.ProcessMemory;

/** A peer whose queue is filled with as many tasks as it could possibly take, and more if it took them all. */
public final class PeerContender implements Contender {

    private static final int TRIES = 4;
    /** How much more is filled than the fastest turn so far would take. */
    private static final double RESERVE = 1.7;

    private final Peer peer;
    private final String name;
    private final Optional<String> shape;
    private final long redisPid;
    private final Map<Integer, Double> redisMicros = new TreeMap<>();
    private double fastest;

    private PeerContender(Peer peer, String name, Optional<String> shape, long redisPid) {
        this.peer = peer;
        this.name = name;
        this.shape = shape;
        this.redisPid = redisPid;
        this.fastest = peer.guess();
    }

    /** A contender of single tasks, on a started peer that ends with it. */
    public PeerContender(Peer peer, long redisPid) {
        this(peer, peer.name(), Optional.empty(), redisPid);
    }

    /**
     * A contender of tasks of one shape, on a started peer that ends with it.
     *
     * @param shape in the peer's word
     * @param words for people
     */
    public PeerContender(Peer peer, String shape, String words, long redisPid) {
        this(peer, peer.name() + ", " + words, Optional.of(shape), redisPid);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double turn(int concurrency, Pace pace) throws IOException {
        double seconds = pace.warmUp().plus(pace.window()).toMillis() / 1e3;
        if (shape.isPresent()) {
            peer.shape(shape.get());
        }
        for (int i = 0; i < TRIES; i++) {
            long waiting = peer.fill((long) (fastest * seconds * RESERVE));
            double cpu = ProcessMemory.cpuSeconds(redisPid);
            Peer.Window window = peer.run(concurrency, pace.warmUp(), pace.window());
            if (window.left() > 0) {
                double spent = ProcessMemory.cpuSeconds(redisPid) - cpu;
                redisMicros.put(concurrency, spent * 1e6 / Math.max(1, waiting - window.left()));
                fastest = Math.max(fastest, window.rate());
                peer.clear();
                return window.rate();
            }
            fastest *= 2;
        }
        throw new IOException(name() + " ran dry " + TRIES + " times at concurrency " + concurrency);
    }

    /** Remarks on single tasks alone, since the rest of a flow is not counted exactly. */
    @Override
    public List<String> remarks() {
        return shape.isPresent()
                ? List.of()
                : redisMicros.entrySet().stream()
                        .map(cost -> String.format(
                                Locale.ROOT,
                                "%s, concurrency %d: processor time of a task %.1f µs Redis (last round)",
                                name(),
                                cost.getKey(),
                                cost.getValue()))
                        .toList();
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}
